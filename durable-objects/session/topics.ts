import type { PushMode } from "../../shared/schemas/push.ts";
import { listDelta } from "../../shared/push/delta.ts";
import type { DeliveredList } from "../deliveries.ts";
import type { NamedService, StoredSubscription } from "../store/session-store.ts";
import { pushDeltaFrame, pushListFrame } from "./frames.ts";

/** A push that is not acknowledged in this time is sent again, as a whole list. */
export const ACK_MS = 10_000;
/** How often it is sent again before the socket is closed. */
export const MAX_REPEATS = 2;

/** The newest list that the object knows. */
type Snapshot = DeliveredList & { readonly body: string };

interface Subscriber {
  readonly sessionId: string;
  mode: PushMode;
  /** The revision that the client has, as far as the object remembers. */
  held: number | null;
  /** The push that the client has yet to acknowledge: until then it is sent nothing more. */
  inFlight: { revision: number; sentAt: number; repeats: number } | null;
}

interface Topic extends NamedService {
  readonly clusters: string;
  readonly subscribers: Map<string, Subscriber>;
  /** Subscriptions that are being made: the topic is wanted though nobody has it yet. */
  pending: number;
  snapshot: Snapshot | null;
  previous: Snapshot | null;
  /** The frame from `previous` to `snapshot`; `undefined` until it is asked for, `null` when there is none. */
  delta: string | null | undefined;
}

/** How the topics reach the sockets. */
export interface Sockets {
  /** Sends to a session's socket, if it has one; says whether it could. */
  send(sessionId: string, text: string): boolean;
}

/** A list that sessions subscribed to. */
export interface TopicName extends NamedService {
  readonly clusters: string;
}

function topicKey({ groupName, serviceName, clusters }: TopicName): string {
  return `${groupName}@@${serviceName}##${clusters}`;
}

/**
 * What the sessions of an object subscribed to, and what each was sent. A client is sent one push at a time: while it has
 * not acknowledged, changes merge, so that a slow reader gets the newest state once and nothing piles up.
 */
export class Topics {
  readonly #sockets: Sockets;
  readonly #topics = new Map<string, Topic>();
  readonly #bySession = new Map<string, Set<Topic>>();
  readonly #unacknowledged = new Map<Subscriber, Topic>();

  constructor(sockets: Sockets, stored: readonly StoredSubscription[]) {
    this.#sockets = sockets;
    for (const subscription of stored) this.put(subscription, null);
  }

  /** How many lists a session subscribed to. */
  countOf(sessionId: string): number {
    return this.#bySession.get(sessionId)?.size ?? 0;
  }

  has(sessionId: string, name: TopicName): boolean {
    return this.#topics.get(topicKey(name))?.subscribers.has(sessionId) ?? false;
  }

  /** The lists of a session, or of all. */
  names(sessionId?: string): TopicName[] {
    const topics = sessionId === undefined ? this.#topics.values() : (this.#bySession.get(sessionId) ?? []);
    return [...topics].map(({ groupName, serviceName, clusters }) => ({ groupName, serviceName, clusters }));
  }

  /** Who subscribed to lists of a service: session and clusters. */
  subscribersOf({ groupName, serviceName }: NamedService): { sessionId: string; clusters: string }[] {
    return [...this.#topics.values()]
      .filter((topic) => topic.groupName === groupName && topic.serviceName === serviceName)
      .flatMap(({ clusters, subscribers }) =>
        [...subscribers.keys()].map((sessionId) => ({ sessionId, clusters })),
      );
  }

  /** While a subscription is being made its list is wanted: what is delivered meanwhile is kept. */
  async whileSubscribing<T>(name: TopicName, make: () => Promise<T>): Promise<T> {
    const topic = this.#topic(name);
    topic.pending++;
    try {
      return await make();
    } finally {
      topic.pending--;
      this.#dropIfUnwanted(topic);
    }
  }

  /** Of a list that the service answered and one that was delivered meanwhile, the newer. */
  newest(name: TopicName, answered: DeliveredList): DeliveredList {
    const snapshot = this.#topics.get(topicKey(name))?.snapshot;
    return snapshot !== null && snapshot !== undefined && snapshot.revision > answered.revision
      ? snapshot
      : answered;
  }

  /** Adds a subscriber, or changes its mode. `held` is the revision that it has been told. */
  put({ sessionId, mode, ...name }: StoredSubscription, held: number | null): void {
    const topic = this.#topic(name);
    const known = topic.subscribers.get(sessionId);
    if (known !== undefined) this.#settle(known);
    topic.subscribers.set(sessionId, { sessionId, mode, held, inFlight: null });
    const own = this.#bySession.get(sessionId) ?? new Set();
    this.#bySession.set(sessionId, own.add(topic));
  }

  /** Takes a subscriber away; says whether nobody is left who wants the list. */
  remove(sessionId: string, name: TopicName): boolean {
    const topic = this.#topics.get(topicKey(name));
    const subscriber = topic?.subscribers.get(sessionId);
    if (topic === undefined || subscriber === undefined) return false;
    this.#settle(subscriber);
    topic.subscribers.delete(sessionId);
    this.#bySession.get(sessionId)?.delete(topic);
    return this.#dropIfUnwanted(topic);
  }

  /** Takes a session away; answers the lists that nobody wants any more. */
  removeSession(sessionId: string): TopicName[] {
    const unwanted = this.names(sessionId).filter((name) => this.remove(sessionId, name));
    this.#bySession.delete(sessionId);
    return unwanted;
  }

  /** A service delivers a list; says whether anybody wants it. An older one than is known is passed over. */
  deliver(service: NamedService, list: DeliveredList, now: number): boolean {
    const topic = this.#topics.get(topicKey({ ...service, clusters: list.clusters }));
    if (topic === undefined) return false;
    const { body } = list;
    if (body === null || (topic.snapshot !== null && topic.snapshot.revision >= list.revision)) return true;
    topic.previous = topic.snapshot;
    topic.snapshot = { ...list, body };
    topic.delta = undefined;
    for (const subscriber of topic.subscribers.values()) this.#push(topic, subscriber, now);
    return true;
  }

  /** A session that was away is sent a list unless it is known to have it. */
  refresh(sessionId: string, service: NamedService, list: DeliveredList, now: number): void {
    this.deliver(service, list, now);
    const topic = this.#topics.get(topicKey({ ...service, clusters: list.clusters }));
    const subscriber = topic?.subscribers.get(sessionId);
    if (topic === undefined || subscriber === undefined) return;
    this.#settle(subscriber);
    subscriber.held = null;
    this.#push(topic, subscriber, now);
  }

  /** A client has a revision: what is newer goes out. */
  acknowledge(sessionId: string, name: TopicName, revision: number, now: number): void {
    const topic = this.#topics.get(topicKey(name));
    const subscriber = topic?.subscribers.get(sessionId);
    if (topic === undefined || subscriber === undefined) return;
    const { inFlight } = subscriber;
    if (inFlight === null || revision < inFlight.revision) return;
    subscriber.held = inFlight.revision;
    this.#settle(subscriber);
    this.#push(topic, subscriber, now);
  }

  /**
   * Sends again what was not acknowledged in time, as a whole list.
   * @returns the sessions that did not acknowledge the repeats either: they are to be closed
   */
  repeat(now: number): string[] {
    const given = new Set<string>();
    for (const [subscriber, topic] of this.#unacknowledged) {
      const { inFlight } = subscriber;
      if (inFlight === null || now < inFlight.sentAt + ACK_MS) continue;
      if (inFlight.repeats >= MAX_REPEATS) given.add(subscriber.sessionId);
      else if (topic.snapshot !== null && this.#send(subscriber, pushListFrame(topic, topic.snapshot))) {
        subscriber.inFlight = {
          revision: topic.snapshot.revision,
          sentAt: now,
          repeats: inFlight.repeats + 1,
        };
      }
    }
    return [...given];
  }

  /** When {@link repeat} has something to do; `Infinity` when all is acknowledged. */
  get repeatAt(): number {
    let at = Number.POSITIVE_INFINITY;
    for (const { inFlight } of this.#unacknowledged.keys()) {
      if (inFlight !== null) at = Math.min(at, inFlight.sentAt + ACK_MS);
    }
    return at;
  }

  #push(topic: Topic, subscriber: Subscriber, now: number): void {
    const { snapshot } = topic;
    if (snapshot === null || subscriber.inFlight !== null) return;
    if (subscriber.held !== null && subscriber.held >= snapshot.revision) return;
    const delta = subscriber.mode === "delta" ? this.#delta(topic, subscriber.held) : null;
    if (!this.#send(subscriber, delta ?? pushListFrame(topic, snapshot))) {
      subscriber.held = null;
      return;
    }
    subscriber.inFlight = { revision: snapshot.revision, sentAt: now, repeats: 0 };
    this.#unacknowledged.set(subscriber, topic);
  }

  #send(subscriber: Subscriber, text: string): boolean {
    return this.#sockets.send(subscriber.sessionId, text);
  }

  /** The frame that brings a client from the revision it has to the newest; `null` when only a whole list can. */
  #delta(topic: Topic, held: number | null): string | null {
    const { previous, snapshot } = topic;
    if (previous === null || snapshot === null || held !== previous.revision) return null;
    if (topic.delta !== undefined) return topic.delta;
    const delta = listDelta(previous.body, snapshot.body);
    topic.delta = delta === null ? null : pushDeltaFrame(topic, previous.revision, snapshot, delta);
    return topic.delta;
  }

  #settle(subscriber: Subscriber): void {
    subscriber.inFlight = null;
    this.#unacknowledged.delete(subscriber);
  }

  #topic(name: TopicName): Topic {
    const key = topicKey(name);
    const known = this.#topics.get(key);
    if (known !== undefined) return known;
    const { groupName, serviceName, clusters } = name;
    const made: Topic = {
      groupName,
      serviceName,
      clusters,
      subscribers: new Map(),
      pending: 0,
      snapshot: null,
      previous: null,
      delta: undefined,
    };
    this.#topics.set(key, made);
    return made;
  }

  #dropIfUnwanted(topic: Topic): boolean {
    if (topic.pending > 0 || topic.subscribers.size > 0) return false;
    return this.#topics.delete(topicKey(topic));
  }
}
