import { ERROR_CODES, type Failure } from "../../shared/errors.ts";
import type { ListDelta } from "../../shared/push/delta.ts";
import {
  MAX_FRAME_LENGTH,
  MAX_PUBLICATIONS,
  MAX_SUBSCRIPTIONS,
  PING_MS,
  type FrameId,
} from "../../shared/schemas/push.ts";
import type { DeliveredList } from "../deliveries.ts";
import type { TopicName } from "./topics.ts";

/** The frames that the server sends. The text of a list is put in as it is, so that it is that of `/instance/list`. */

export function welcomeFrame(sessionId: string, resumeToken: string): string {
  const limits = {
    frameBytes: MAX_FRAME_LENGTH,
    subscriptions: MAX_SUBSCRIPTIONS,
    instances: MAX_PUBLICATIONS,
  };
  return JSON.stringify({ op: "welcome", sessionId, resumeToken, pingMillis: PING_MS, limits });
}

/** A good answer. `data` is JSON. */
export function okFrame(id: FrameId, data?: string): string {
  const head = JSON.stringify({ id, ok: true });
  return data === undefined ? head : `${head.slice(0, -1)},"data":${data}}`;
}

export function errorFrame(id: FrameId, failure: Failure): string {
  return JSON.stringify({ id, error: { code: ERROR_CODES[failure.name], message: failure.message } });
}

/** The data of a `subscribe` or `query`; `body` is `null` for a list that the client has. */
export function listData(revision: number, body: string | null): string {
  return body === null ? `{"revision":${revision}}` : `{"revision":${revision},"list":${body}}`;
}

function pushHead(topic: TopicName, fields: Readonly<Record<string, unknown>>): string {
  const { serviceName, groupName, clusters } = topic;
  return JSON.stringify({ op: "push", serviceName, groupName, clusters, ...fields });
}

export function pushListFrame(topic: TopicName, list: DeliveredList): string {
  const reason = list.reason ?? undefined;
  const head = pushHead(topic, { mode: "list", revision: list.revision, reason });
  return `${head.slice(0, -1)},"list":${list.body}}`;
}

export function pushDeltaFrame(
  topic: TopicName,
  from: number,
  list: DeliveredList,
  delta: ListDelta,
): string {
  const reason = list.reason ?? undefined;
  return pushHead(topic, { mode: "delta", from, revision: list.revision, ...delta, reason });
}
