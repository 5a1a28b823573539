import { writeResumeToken } from "../../shared/push/session-name.ts";
import type { SessionPlace } from "../../shared/push/session-name.ts";
import type { Phase, SqlSessionStore, StoredSession } from "../store/session-store.ts";

/** What a socket carries over hibernation; `null` for one whose session another socket has taken over. */
interface Attachment {
  readonly sessionId: string | null;
}

/** A session with its socket; `null` while it has none. */
export interface Session extends Omit<StoredSession, "phase" | "since"> {
  phase: Phase;
  since: number;
  socket: WebSocket | null;
}

/**
 * The sessions of an object and their sockets. A stored session whose socket is gone when the object starts was dropped by
 * the registry, not by its client: it is lost, and awaited.
 */
export class Sessions {
  readonly #store: SqlSessionStore;
  readonly #sessions = new Map<string, Session>();

  constructor(store: SqlSessionStore, sockets: readonly WebSocket[], now: number) {
    this.#store = store;
    for (const stored of store.sessions()) this.#sessions.set(stored.sessionId, { ...stored, socket: null });
    for (const socket of sockets) {
      const session = this.#sessions.get(attachedId(socket) ?? "");
      if (session !== undefined) session.socket = socket;
    }
    for (const session of this.#sessions.values()) {
      if (session.phase === "open" && session.socket === null) this.setPhase(session, "lost", now);
    }
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  get(sessionId: string): Session | undefined {
    return this.#sessions.get(sessionId);
  }

  /** The session whose socket this is; `undefined` for one that has ended or was taken over. */
  ofSocket(socket: WebSocket): Session | undefined {
    const session = this.#sessions.get(attachedId(socket) ?? "");
    return session?.socket === socket ? session : undefined;
  }

  /** Opens a session on an accepted socket. */
  open(objectName: string, socket: WebSocket, caller: string, now: number): Session {
    const session: Session = {
      sessionId: crypto.randomUUID(),
      secret: crypto.randomUUID(),
      caller,
      phase: "open",
      since: now,
      socket,
    };
    this.#store.addSession(objectName, session);
    this.#sessions.set(session.sessionId, session);
    attach(socket, session.sessionId);
    return session;
  }

  setPhase(session: Session, phase: Phase, now: number): void {
    this.#store.setPhase(session.sessionId, phase, now);
    session.phase = phase;
    session.since = now;
  }

  /** Gives a session another socket; answers the one it had. */
  moveTo(session: Session, socket: WebSocket, now: number): WebSocket | null {
    const old = session.socket;
    this.setPhase(session, "open", now);
    if (old !== null) attach(old, null);
    attach(socket, session.sessionId);
    session.socket = socket;
    return old;
  }

  /** Forgets a session, and all that is stored of it. */
  remove(session: Session): void {
    this.#store.removeSession(session.sessionId);
    this.#sessions.delete(session.sessionId);
  }
}

/** The token with which the client of a session may take it up again. */
export function resumeTokenOf(place: SessionPlace, { sessionId, secret }: StoredSession | Session): string {
  return writeResumeToken({ region: place.region, shard: place.shard, sessionId, secret });
}

function attach(socket: WebSocket, sessionId: string | null): void {
  const attachment: Attachment = { sessionId };
  socket.serializeAttachment(attachment);
}

function attachedId(socket: WebSocket): string | null {
  const attachment: Attachment | null = socket.deserializeAttachment(); // Written by `attach`.
  return attachment?.sessionId ?? null;
}
