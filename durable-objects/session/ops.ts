import { fail, succeed, type Failure, type Result } from "../../shared/errors.ts";
import { serviceObjectName, type ServiceRef } from "../../shared/naming/service-ref.ts";
import { MAX_SUBSCRIPTIONS, type ClientFrame, type FrameOf } from "../../shared/schemas/push.ts";
import type { ObjectEnv } from "../env.ts";
import type { SqlSessionStore } from "../store/session-store.ts";
import { checkFrameAddress, decodeService } from "./decode-frame.ts";
import { errorFrame, listData, okFrame } from "./frames.ts";
import type { Publisher } from "./publisher.ts";
import type { Session } from "./sessions.ts";
import type { Topics } from "./topics.ts";

/** The ops that ask the session object itself, not a service. */
export type OwnOp = "resume" | "bye" | "auth";

interface Parts {
  readonly env: ObjectEnv;
  readonly store: SqlSessionStore;
  readonly topics: Topics;
  readonly publisher: Publisher;
  readonly objectName: string;
  readonly namespaceId: string;
  now(): number;
}

/** Carries out the ops of a socket that concern services. */
export class ServiceOps {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers a frame: the text to send, or `null` for an op without an answer. */
  async answer(session: Session, frame: Exclude<ClientFrame, { op: OwnOp }>): Promise<string | null> {
    const decoded = decodeService(this.#parts.namespaceId, frame);
    if (!decoded.ok) return errorFrame(frame.id, decoded.error);
    const ref = decoded.value;
    if ("instance" in frame) {
      const refused = checkFrameAddress(frame.instance);
      if (refused !== null) return errorFrame(frame.id, fail("parameterInvalid", refused).error);
    }
    const { topics, publisher } = this.#parts;
    const clusters = "clusters" in frame ? (frame.clusters ?? "") : "";
    switch (frame.op) {
      case "subscribe":
        return reply(frame, await this.#subscribe(session, ref, frame));
      case "unsubscribe":
        await this.#unsubscribe(session.sessionId, ref, clusters);
        return okFrame(frame.id);
      case "query":
        return reply(frame, succeed(await this.#query(ref, frame)));
      case "register":
        return reply(frame, await publisher.register(session, ref, frame));
      case "update":
        return reply(frame, await publisher.update(session, ref, frame));
      case "deregister":
        await publisher.deregister(session, ref, frame);
        return okFrame(frame.id);
      case "ack":
      default:
        topics.acknowledge(session.sessionId, { ...ref, clusters }, frame.revision, this.#parts.now());
        return null;
    }
  }

  /** Ends a subscription; the service is told when it was the last one to its list. */
  async #unsubscribe(sessionId: string, ref: ServiceRef, clusters: string): Promise<void> {
    const { store, topics, objectName } = this.#parts;
    const { groupName, serviceName } = ref;
    const name = { groupName, serviceName, clusters };
    if (!topics.has(sessionId, name)) return;
    store.removeSubscription({ sessionId, ...name, mode: "list" });
    if (topics.remove(sessionId, name)) await this.#service(ref).unsubscribe(ref, objectName, clusters);
  }

  /**
   * Makes a session hear of the newest state of all its subscriptions: it was away. Each is sent what is newer than what it
   * has, as far as that is known.
   */
  async refresh(sessionId: string): Promise<void> {
    const { topics, objectName, namespaceId } = this.#parts;
    for (const { groupName, serviceName, clusters } of topics.names(sessionId)) {
      const ref = { namespaceId, groupName, serviceName };
      const list = await this.#service(ref).subscribe(ref, objectName, clusters, null);
      topics.refresh(sessionId, ref, list, this.#parts.now());
    }
  }

  async #subscribe(session: Session, ref: ServiceRef, frame: FrameOf<"subscribe">): Promise<Result<string>> {
    const { store, topics, objectName } = this.#parts;
    const { sessionId } = session;
    const { clusters = "", mode = "list", revision = null } = frame;
    const { groupName, serviceName } = ref;
    const name = { groupName, serviceName, clusters };
    if (!topics.has(sessionId, name) && topics.countOf(sessionId) >= MAX_SUBSCRIPTIONS) {
      return fail("parameterInvalid", `A session has at most ${MAX_SUBSCRIPTIONS} subscriptions.`);
    }
    return topics.whileSubscribing(name, async () => {
      const answered = await this.#service(ref).subscribe(ref, objectName, clusters, revision);
      const list = topics.newest(name, answered);
      store.putSubscription({ sessionId, ...name, mode });
      topics.put({ sessionId, ...name, mode }, list.revision);
      return succeed(listData(list.revision, list.revision === revision ? null : list.body));
    });
  }

  async #query(ref: ServiceRef, frame: FrameOf<"query">): Promise<string> {
    const { clusters = "", healthyOnly = false } = frame;
    const { revision, body } = await this.#service(ref).queryList(ref, clusters, healthyOnly);
    return listData(revision, body);
  }

  #service(ref: ServiceRef): ReturnType<ObjectEnv["SERVICE"]["getByName"]> {
    return this.#parts.env.SERVICE.getByName(serviceObjectName(ref));
  }
}

function reply(frame: ClientFrame, result: Result<string | null>): string {
  return result.ok ? okFrame(frame.id, result.value ?? undefined) : errorFrame(frame.id, result.error);
}

/** What is said when a service could not be asked. */
export const UNAVAILABLE: Failure = {
  name: "unavailable",
  message: "The registry could not do that just now, please try again.",
};
