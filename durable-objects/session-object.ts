import { DurableObject } from "cloudflare:workers";
import type { Clock } from "../shared/clock.ts";
import { fail } from "../shared/errors.ts";
import { SESSION_GRACE_MS } from "../shared/naming/session-lease.ts";
import { serviceObjectName, type ServiceRef } from "../shared/naming/service-ref.ts";
import {
  placeOf,
  readResumeToken,
  sessionObjectName,
  type SessionPlace,
} from "../shared/push/session-name.ts";
import { CLOSE, MISSED_PINGS, PING_MS, type ClientFrame, type FrameOf } from "../shared/schemas/push.ts";
import type { DeliveredList } from "./deliveries.ts";
import type { ObjectEnv } from "./env.ts";
import { logFault } from "./log.ts";
import { decodeFrame } from "./session/decode-frame.ts";
import { errorFrame, okFrame, welcomeFrame } from "./session/frames.ts";
import { ServiceOps, UNAVAILABLE } from "./session/ops.ts";
import { Publisher } from "./session/publisher.ts";
import { resumeTokenOf, Sessions, type Session } from "./session/sessions.ts";
import { Topics } from "./session/topics.ts";
import { SqlSessionStore, type StoredPublication, type StoredSubscription } from "./store/session-store.ts";

/** An alarm is never set closer than this; see the ledger of a service. */
const MIN_ALARM_GAP_MS = 200;
/** Most sockets of one object: the platform's own limit is 32,768 (design, section 7). */
const MAX_SOCKETS = 30_000;
/** First pause after a service could not be told of a session's end; doubled each time. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** A session that another object takes over. */
export interface HandedOver {
  readonly subscriptions: readonly StoredSubscription[];
  readonly publications: readonly StoredPublication[];
}

/** One subscriber, as `GET /service/subscribers` shows it. */
export interface SubscriberView {
  readonly caller: string;
  readonly clusters: string;
}

/** All that the object knows once it has been asked for anything. */
interface Loaded {
  readonly objectName: string;
  readonly place: SessionPlace;
  readonly sessions: Sessions;
  readonly topics: Topics;
  readonly publisher: Publisher;
  readonly ops: ServiceOps;
}

/**
 * The sockets of a namespace's clients in one region and shard (design, sections 1 and 6). It hibernates while nothing
 * happens: pings are answered by the runtime. One alarm sweeps silent sockets, repeats pushes and ends lost sessions.
 */
export class SessionObject extends DurableObject<ObjectEnv> {
  /** Replaced by tests. */
  clock: Clock = () => Date.now();
  readonly #store: SqlSessionStore;
  #loaded: Loaded | null = null;
  #alarmAt: number | null = null;
  #failures = 0;
  readonly #ending = new Map<string, Promise<void>>();

  constructor(ctx: DurableObjectState, env: ObjectEnv) {
    super(ctx, env);
    this.#store = new SqlSessionStore(ctx.storage);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = await ctx.storage.getAlarm();
    });
  }

  /** Opens a session. Only our own worker can send this: the name of the object and the caller are in the URL. */
  override fetch(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const { sessions, place, objectName } = this.#load(searchParams.get("object") ?? "");
    const { 0: client, 1: server } = new WebSocketPair();
    if (sessions.size >= MAX_SOCKETS) {
      this.ctx.acceptWebSocket(server);
      server.close(CLOSE.full, "too many sessions here");
      return new Response(null, { status: 101, webSocket: client });
    }
    const now = this.clock();
    this.ctx.acceptWebSocket(server);
    const session = sessions.open(objectName, server, searchParams.get("caller") ?? "", now);
    server.send(welcomeFrame(session.sessionId, resumeTokenOf(place, session)));
    this.#arm(now);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const session = this.#loadStored()?.sessions.ofSocket(socket);
    if (session === undefined) return;
    const decoded = decodeFrame(message);
    if (!decoded.ok) {
      send(socket, errorFrame(decoded.id, decoded.error));
      return;
    }
    try {
      const answer = await this.#answer(session, socket, decoded.frame);
      if (answer !== null) send(socket, answer);
    } catch (error) {
      logFault("frame-failed", error, { op: decoded.frame.op });
      send(socket, errorFrame(decoded.frame.id, UNAVAILABLE));
    }
    this.#arm(this.clock());
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    await this.#closed(socket);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#closed(socket);
  }

  /** A service tells of a change. Answers the clusters of the lists that nobody here wants. */
  deliver(ref: ServiceRef, lists: readonly DeliveredList[]): string[] {
    const loaded = this.#loadStored();
    const now = this.clock();
    const gone = lists.filter((list) => loaded === null || !loaded.topics.deliver(ref, list, now));
    this.#arm(now);
    return gone.map(({ clusters }) => clusters);
  }

  /** Who is subscribed here to lists of a service. */
  subscribersOf(ref: ServiceRef): SubscriberView[] {
    const loaded = this.#loadStored();
    if (loaded === null) return [];
    return loaded.topics.subscribersOf(ref).map(({ sessionId, clusters }) => ({
      caller: loaded.sessions.get(sessionId)?.caller ?? "",
      clusters,
    }));
  }

  /** Another object takes a session over, whose client came back there. `null` for a token that is not known here. */
  handOver(sessionId: string, secret: string): HandedOver | null {
    const loaded = this.#loadStored();
    const session = loaded?.sessions.get(sessionId);
    if (loaded === null || session === undefined || !isResumable(session, secret)) return null;
    const own = { sessionId, mode: "list" } as const;
    const subscriptions = loaded.topics.names(sessionId).map((name) => ({ ...own, ...name }));
    const publications = this.#store.publications(sessionId);
    if (session.socket !== null) close(session.socket, CLOSE.resumed, "resumed elsewhere");
    loaded.topics.removeSession(sessionId);
    loaded.sessions.remove(session);
    return { subscriptions, publications };
  }

  /** Sweeps, repeats, and ends what is lost. Whatever fails is tried again. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    const loaded = this.#loadStored();
    if (loaded === null) return;
    try {
      await this.#wake(loaded);
      this.#failures = 0;
    } catch (error) {
      logFault("wake-failed", error, { failures: this.#failures });
      this.#failures++;
    }
    this.#arm(this.clock());
  }

  async #answer(session: Session, socket: WebSocket, frame: ClientFrame): Promise<string | null> {
    if (frame.op === "auth") return okFrame(frame.id);
    if (frame.op === "resume") return this.#resume(session, socket, frame);
    if (frame.op !== "bye") return this.#load("").ops.answer(session, frame);
    await this.#end(session, "it said bye");
    send(socket, okFrame(frame.id));
    close(socket, CLOSE.bye, "bye");
    return null;
  }

  /** Takes up an earlier session on this socket: what it published and subscribed to goes on. */
  async #resume(session: Session, socket: WebSocket, frame: FrameOf<"resume">): Promise<string> {
    const { sessions, topics, publisher, ops, place, objectName } = this.#load("");
    const token = readResumeToken(frame.resumeToken);
    const unknown = fail(
      "resourceNotFound",
      "The resume token is unknown or has ended: subscribe and register again.",
    );
    if (token === null) return errorFrame(frame.id, unknown.error);
    if (topics.countOf(session.sessionId) > 0 || publisher.countOf(session.sessionId) > 0) {
      const refused = fail("parameterInvalid", "A session should resume before it subscribes or registers.");
      return errorFrame(frame.id, refused.error);
    }
    let resumed = session;
    const from = sessionObjectName({ ...place, region: token.region, shard: token.shard });
    if (from === objectName) {
      const old = sessions.get(token.sessionId);
      if (old === undefined || old === session || !isResumable(old, token.secret))
        return errorFrame(frame.id, unknown.error);
      const wasMarked = old.phase === "marked";
      const left = sessions.moveTo(old, socket, this.clock());
      if (left !== null) close(left, CLOSE.resumed, "resumed elsewhere");
      sessions.remove(session);
      if (wasMarked) await publisher.registerAll(old, place.namespaceId);
      resumed = old;
    } else {
      const handed = await this.env.SESSION.getByName(from).handOver(token.sessionId, token.secret);
      if (handed === null) return errorFrame(frame.id, unknown.error);
      await this.#takeOver(session, handed);
    }
    const { sessionId } = resumed;
    const data = {
      sessionId,
      resumeToken: resumeTokenOf(place, resumed),
      instances: publisher.countOf(sessionId),
      subscriptions: topics.countOf(sessionId),
    };
    this.ctx.waitUntil(ops.refresh(sessionId).catch((error: unknown) => logFault("not-refreshed", error)));
    return okFrame(frame.id, JSON.stringify(data));
  }

  async #takeOver(session: Session, { subscriptions, publications }: HandedOver): Promise<void> {
    const { topics, publisher, place } = this.#load("");
    const { sessionId } = session;
    for (const publication of publications) this.#store.putPublication({ ...publication, sessionId });
    for (const subscription of subscriptions) {
      this.#store.putSubscription({ ...subscription, sessionId });
      topics.put({ ...subscription, sessionId }, null);
    }
    await publisher.registerAll(session, place.namespaceId);
  }

  async #closed(socket: WebSocket): Promise<void> {
    const session = this.#loadStored()?.sessions.ofSocket(socket);
    if (session !== undefined) await this.#end(session, "its socket closed");
    this.#arm(this.clock());
  }

  async #wake({ sessions, topics, publisher, place }: Loaded): Promise<void> {
    const now = this.clock();
    const failed: Promise<void>[] = [];
    for (const sessionId of topics.repeat(now)) {
      failed.push(this.#drop(sessions.get(sessionId), CLOSE.unacknowledged, "it did not acknowledge pushes"));
    }
    for (const session of sessions.all()) {
      const { phase, since, socket } = session;
      if (phase === "open" && socket !== null && now - this.#lastSign(session) >= MISSED_PINGS * PING_MS) {
        failed.push(this.#drop(session, CLOSE.silent, "it was silent"));
      } else if (phase === "lost" && now >= since + SESSION_GRACE_MS) {
        await publisher.tellServices(session.sessionId, place.namespaceId, async (ref, owner) =>
          this.#service(ref).loseSession(ref, owner),
        );
        if (session.phase === "lost") sessions.setPhase(session, "marked", now);
      } else if (phase === "marked" && now >= since + SESSION_GRACE_MS) {
        failed.push(this.#end(session, "its session did not come back"));
      } else if (phase === "ending") failed.push(this.#end(session, "its session ended"));
    }
    await Promise.all(failed);
  }

  /** The newest sign of life of a session's client. */
  #lastSign({ socket, since }: Session): number {
    const ping = socket === null ? null : this.ctx.getWebSocketAutoResponseTimestamp(socket);
    return Math.max(since, ping?.getTime() ?? 0);
  }

  async #drop(session: Session | undefined, code: number, why: string): Promise<void> {
    if (session === undefined) return;
    const { socket } = session;
    const ended = this.#end(session, why);
    if (socket !== null) close(socket, code, why);
    await ended;
  }

  /** Ends a session: its instances go, then it does. Should a service not hear of it now, the alarm tells it. */
  #end(session: Session, why: string): Promise<void> {
    const known = this.#ending.get(session.sessionId);
    if (known !== undefined) return known;
    const ending = this.#tellEnd(session, why).finally(() => this.#ending.delete(session.sessionId));
    this.#ending.set(session.sessionId, ending);
    return ending;
  }

  async #tellEnd(session: Session, why: string): Promise<void> {
    const { sessions, topics, publisher, place, objectName } = this.#load("");
    if (session.phase !== "ending") sessions.setPhase(session, "ending", this.clock());
    session.socket = null;
    const unwanted = topics.removeSession(session.sessionId);
    await publisher.tellServices(session.sessionId, place.namespaceId, async (ref, owner) =>
      this.#service(ref).endSession(ref, owner, why),
    );
    sessions.remove(session);
    for (const { clusters, ...service } of unwanted) {
      const ref = { namespaceId: place.namespaceId, ...service };
      // Should it fail: the next delivery is answered that nobody wants it.
      await this.#service(ref).unsubscribe(ref, objectName, clusters);
    }
  }

  /** Sets the alarm for the earliest thing due; none when no session is left. */
  #arm(now: number): void {
    const at = this.#dueAt(now);
    if (at === Number.POSITIVE_INFINITY || (this.#alarmAt !== null && this.#alarmAt <= at)) return;
    this.#alarmAt = Math.max(at, now + MIN_ALARM_GAP_MS);
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }

  #dueAt(now: number): number {
    const loaded = this.#loaded;
    if (loaded === null) return Number.POSITIVE_INFINITY;
    const retryAt = now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    let at = loaded.topics.repeatAt;
    for (const { phase, since } of loaded.sessions.all()) {
      if (phase === "open") at = Math.min(at, now + PING_MS);
      else if (phase === "ending") at = Math.min(at, retryAt);
      else at = Math.min(at, this.#failures > 0 ? retryAt : since + SESSION_GRACE_MS);
    }
    return at;
  }

  #service(ref: ServiceRef): ReturnType<ObjectEnv["SERVICE"]["getByName"]> {
    return this.env.SERVICE.getByName(serviceObjectName(ref));
  }

  /** What is stored here; `null` for an object that never had a session. */
  #loadStored(): Loaded | null {
    if (this.#loaded !== null) return this.#loaded;
    const objectName = this.#store.objectName();
    return objectName === null ? null : this.#load(objectName);
  }

  #load(objectName: string): Loaded {
    if (this.#loaded !== null) return this.#loaded;
    const place = placeOf(objectName);
    const sessions = new Sessions(this.#store, this.ctx.getWebSockets(), this.clock());
    const sockets = {
      send: (sessionId: string, text: string): boolean => {
        const socket = sessions.get(sessionId)?.socket ?? null;
        return socket !== null && send(socket, text);
      },
    };
    const topics = new Topics(sockets, this.#store.subscriptions());
    const publisher = new Publisher(this.env, this.#store, objectName);
    const { namespaceId } = place;
    const now = (): number => this.clock();
    const parts = { env: this.env, store: this.#store, topics, publisher, objectName, namespaceId, now };
    this.#loaded = { objectName, place, sessions, topics, publisher, ops: new ServiceOps(parts) };
    return this.#loaded;
  }
}

function isResumable(session: Session, secret: string): boolean {
  return session.phase !== "ending" && session.secret === secret;
}

/** Sends to a socket that may be closing; says whether it could. */
function send(socket: WebSocket, text: string): boolean {
  try {
    socket.send(text);
    return true;
  } catch {
    return false; // It is closed: its close event ends the session, or has.
  }
}

function close(socket: WebSocket, code: number, why: string): void {
  try {
    socket.close(code, why);
  } catch {
    // It is closed already.
  }
}
