import { fail, succeed, type Result } from "../../shared/errors.ts";
import {
  checkAddress,
  checkClusterName,
  checkGroupName,
  checkServiceName,
} from "../../shared/naming/names.ts";
import { DEFAULT_GROUP, splitGroupedName, type ServiceRef } from "../../shared/naming/service-ref.ts";
import { parseJsonObject } from "../../shared/json.ts";
import {
  CLIENT_OPS,
  ClientFrameSchema,
  MAX_FRAME_LENGTH,
  type ClientFrame,
  type FrameId,
} from "../../shared/schemas/push.ts";
import { clip } from "../../shared/schemas/parameters.ts";

/** What came over a socket: a frame, or a refusal with the id that it is to be answered under. */
export type DecodedFrame =
  | { readonly ok: true; readonly frame: ClientFrame }
  | { readonly ok: false; readonly id: FrameId; readonly error: ReturnType<typeof fail>["error"] };

/** Reads a frame. Says of a bad one what is wrong, with which value, and what is allowed. */
export function decodeFrame(message: string | ArrayBuffer): DecodedFrame {
  if (typeof message !== "string") return refuseFrame(undefined, "A frame should be a text, not bytes.");
  if (message.length > MAX_FRAME_LENGTH) {
    const limit = `at most ${MAX_FRAME_LENGTH} characters are read`;
    return refuseFrame(undefined, `The frame is too long, ${limit}. (current: ${message.length})`);
  }
  const json = parseJsonObject(message);
  if (json === null)
    return refuseFrame(undefined, `A frame should be a JSON object. (current: ${clip(message)})`);
  const id = readId(json["id"]);
  const op = String(json["op"]);
  if (!CLIENT_OPS.some((known) => known === op)) {
    return refuseFrame(id, `The op '${clip(op)}' is unknown, allowed: ${CLIENT_OPS.join(", ")}.`);
  }
  const parsed = ClientFrameSchema.safeParse(json);
  if (parsed.success) return { ok: true, frame: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  return refuseFrame(id, `Field '${field}' of op '${op}' is illegal: ${issue?.message ?? "not understood"}.`);
}

function readId(value: unknown): FrameId {
  return typeof value === "number" || (typeof value === "string" && value.length <= 64) ? value : undefined;
}

function refuseFrame(id: FrameId, message: string): DecodedFrame {
  return { ok: false, id, error: fail("parameterInvalid", message).error };
}

/** The service that a frame names; a group in the name wins, as over HTTP. */
export function decodeService(
  namespaceId: string,
  frame: { readonly serviceName: string; readonly groupName?: string | undefined },
): Result<ServiceRef> {
  const grouped = splitGroupedName(frame.serviceName);
  const groupName = grouped?.groupName ?? frame.groupName ?? DEFAULT_GROUP;
  const serviceName = grouped?.serviceName ?? frame.serviceName;
  const refused = checkGroupName(groupName) ?? checkServiceName(serviceName);
  return refused === null
    ? succeed({ namespaceId, groupName, serviceName })
    : fail("parameterInvalid", refused);
}

/** The refusal of an address that a frame names; `null` when it is fine. */
export function checkFrameAddress(address: {
  readonly ip: string;
  readonly clusterName?: string | undefined;
}): string | null {
  const { ip, clusterName } = address;
  return checkAddress(ip) ?? (clusterName === undefined ? null : checkClusterName(clusterName));
}
