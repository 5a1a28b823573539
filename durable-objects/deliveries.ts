import { listCallUrl } from "../shared/hot-call.ts";
import { finishChange, newDraft, note } from "../shared/naming/change.ts";
import { BY_REGISTRY } from "../shared/naming/event.ts";
import type { ServiceState } from "../shared/naming/service.ts";
import { emptyReason, type EmptyReason } from "../shared/push/empty-reason.ts";
import type { ServiceStore, SubscriberStore } from "../shared/store.ts";
import type { ObjectEnv } from "./env.ts";
import type { ListCache } from "./list-cache.ts";
import { logFault } from "./log.ts";
import type { ServiceLedger } from "./service-ledger.ts";

/** A delivery that was not acknowledged is looked after this long after its change; doubled with each failure. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** A delivery under way is looked after this long after its change, should the object be lost meanwhile. */
const WATCH_MS = 5_000;
/** From this failure on it is an event. */
const NOTED_FAILURES = 3;
/** How far back the reason for an empty list is looked for. */
const REASON_EVENTS = 50;

/** A list as a session object is told it. */
export interface DeliveredList {
  readonly clusters: string;
  readonly revision: number;
  /** The body of `/instance/list`; `null` when its revision is known. */
  readonly body: string | null;
  /** Why the list is empty, where that is known. */
  readonly reason: EmptyReason | null;
}

/** One session object that is told. */
interface Session {
  readonly name: string;
  /** The newest acknowledged revision, by the clusters of the list. */
  readonly revisions: Map<string, number>;
  underWay: Promise<void> | null;
  failures: number;
  retryAt: number;
}

/** What the object gives. */
interface Host {
  now(): number;
  waitUntil(promise: Promise<void>): void;
}

/**
 * Tells session objects of changes (design, section 6): at most one delivery to each is under way, changes meanwhile merge
 * into the next, which carries the newest state. The call's answer is the acknowledgement, and is stored; what was not
 * acknowledged is tried again by alarm, after an eviction too.
 */
export class Deliveries {
  readonly #env: ObjectEnv;
  readonly #store: ServiceStore & SubscriberStore;
  readonly #ledger: ServiceLedger;
  readonly #lists: ListCache;
  readonly #host: Host;
  #sessions: Map<string, Session> | null = null;

  constructor(
    env: ObjectEnv,
    store: ServiceStore & SubscriberStore,
    ledger: ServiceLedger,
    lists: ListCache,
    host: Host,
  ) {
    this.#env = env;
    this.#store = store;
    this.#ledger = ledger;
    this.#lists = lists;
    this.#host = host;
  }

  /** Adds a list that a session object is to be told of. It is told the newest state with the answer, so it knows it. */
  add(state: ServiceState, name: string, clusters: string, now: number): void {
    const sessions = this.#load();
    const session = sessions.get(name) ?? newSession(name);
    if (session.revisions.get(clusters) === state.record.revision) return;
    const isNew = !session.revisions.has(clusters);
    this.#store.saveSubscriber({ session: name, clusters, revision: state.record.revision });
    session.revisions.set(clusters, state.record.revision);
    sessions.set(name, session);
    if (isNew && state.record.exists) this.#note(state, "session-subscribed", "GET /session", name, now);
  }

  remove(name: string, clusters: string): void {
    const session = this.#load().get(name);
    if (session === undefined || !session.revisions.has(clusters)) return;
    this.#store.removeSubscriber(name, clusters);
    session.revisions.delete(clusters);
    if (session.revisions.size === 0) this.#load().delete(name);
  }

  /** The session objects that are told. */
  sessions(): string[] {
    return [...this.#load().keys()];
  }

  /** The list of some clusters as it is now; without its text when `known` is its revision. */
  list(state: ServiceState, clusters: string, known: number | null): DeliveredList {
    const { revision, ref } = state.record;
    if (known === revision) return { clusters, revision, body: null, reason: null };
    const body = this.#lists.body(state, listCallUrl(ref, clusters, false), { clusters, healthyOnly: false });
    const isEmpty = body.includes('"hosts":[],');
    const recent = isEmpty ? this.#store.events({ after: 0, limit: REASON_EVENTS }) : [];
    return { clusters, revision, body, reason: isEmpty ? emptyReason(state, clusters, recent) : null };
  }

  /** There is a new revision, and it is stored: tells all who have not heard of it. */
  changed(state: ServiceState, now: number): void {
    const sessions = this.#load();
    if (sessions.size === 0) return;
    this.#ledger.deliveryAt = Math.min(this.#ledger.deliveryAt, now + WATCH_MS);
    for (const session of sessions.values()) {
      if (session.failures === 0) this.#host.waitUntil(this.#start(state, session));
    }
  }

  /** Tries again what is due; called by the alarm. */
  async retryDue(state: ServiceState, now: number): Promise<void> {
    const due = [...this.#load().values()].filter(
      (session) => isBehind(session, state) && session.retryAt <= now,
    );
    await Promise.all(due.map(async (session) => this.#start(state, session)));
    this.#watch(state);
  }

  #start(state: ServiceState, session: Session): Promise<void> {
    session.underWay ??= this.#deliver(state, session).finally(() => {
      session.underWay = null;
      this.#watch(state);
    });
    return session.underWay;
  }

  /** Tells a session object until it has heard the newest. Never throws. */
  async #deliver(state: ServiceState, session: Session): Promise<void> {
    await Promise.resolve(); // What the same event still changes goes along.
    try {
      while (isBehind(session, state)) await this.#deliverOnce(state, session);
    } catch (error) {
      this.#fail(state, session, error);
    }
  }

  async #deliverOnce(state: ServiceState, session: Session): Promise<void> {
    const { revision, ref } = state.record;
    const outdated = [...session.revisions].filter(([, known]) => known < revision);
    const lists = outdated.map(([clusters]) => this.list(state, clusters, null));
    const gone = await this.#env.SESSION.getByName(session.name).deliver(ref, lists);
    for (const { clusters } of lists) {
      if (gone.includes(clusters)) this.remove(session.name, clusters);
      else this.#acknowledge(session, clusters, revision);
    }
    session.failures = 0;
    session.retryAt = 0;
  }

  #acknowledge(session: Session, clusters: string, revision: number): void {
    const known = session.revisions.get(clusters);
    if (known === undefined || known >= revision) return;
    this.#store.saveSubscriber({ session: session.name, clusters, revision });
    session.revisions.set(clusters, revision);
  }

  #fail(state: ServiceState, session: Session, error: unknown): void {
    const now = this.#host.now();
    logFault("not-delivered", error, { service: state.record.ref, session: session.name });
    session.failures++;
    const pause = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (session.failures - 1));
    session.retryAt = now + pause * (0.75 + Math.random() / 2);
    if (session.failures !== NOTED_FAILURES) return;
    const cause = `${NOTED_FAILURES} tries failed; it is tried again`;
    try {
      this.#note(state, "delivery-failed", cause, BY_REGISTRY, now);
    } catch (failure) {
      logFault("event-not-stored", failure, { service: state.record.ref });
    }
  }

  /** Sets the alarm for what is not acknowledged. */
  #watch(state: ServiceState): void {
    const now = this.#host.now();
    let at = Number.POSITIVE_INFINITY;
    for (const session of this.#load().values()) {
      if (isBehind(session, state)) at = Math.min(at, Math.max(session.retryAt, now + FIRST_RETRY_MS));
    }
    this.#ledger.deliveryAt = at;
    this.#ledger.arm(now);
  }

  #note(
    state: ServiceState,
    type: "session-subscribed" | "delivery-failed",
    cause: string,
    by: string,
    now: number,
  ): void {
    const draft = newDraft();
    note(draft, type, null, cause, by);
    this.#ledger.commit(state, finishChange(state, draft, now));
  }

  #load(): Map<string, Session> {
    if (this.#sessions !== null) return this.#sessions;
    const sessions = new Map<string, Session>();
    for (const { session: name, clusters, revision } of this.#store.subscribers()) {
      const session = sessions.get(name) ?? newSession(name);
      session.revisions.set(clusters, revision);
      sessions.set(name, session);
    }
    this.#sessions = sessions;
    return sessions;
  }
}

function newSession(name: string): Session {
  return { name, revisions: new Map(), underWay: null, failures: 0, retryAt: 0 };
}

function isBehind(session: Session, state: ServiceState): boolean {
  for (const known of session.revisions.values()) if (known < state.record.revision) return true;
  return false;
}
