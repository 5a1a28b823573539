/**
 * The wire of `/v1/ns`: Nacos 2.5.1's, and where a 1.x client would break without it, 1.4.8's.
 *
 * - Answers of writes are the bare text `ok`; errors are bare text too, but for the pages of 2.x's servlet filters.
 * - Error pages are JSON even for a client that accepts HTML (the JDK's does): nobody parses them (seen 2026-11-30).
 * - Not served: `encoding`, UDP push, the raft and distro calls between nodes.
 */
import { JSON_HEADERS, TEXT_HEADERS } from "../../shared/headers.ts";
import { NacosError, type Failure, type Result } from "../../shared/errors.ts";
import type { BeatAnswer } from "../../shared/naming/beat.ts";
import { renderBeatBody } from "../../shared/naming/beat-body.ts";
import type { InstanceEdit } from "../../shared/naming/edit.ts";
import { DEFAULT_CLUSTER, type Instance, type NamedAddress } from "../../shared/naming/instance.ts";
import { metadataToObject, NO_METADATA, withoutNulls } from "../../shared/naming/metadata.ts";
import { overrideToObject } from "../../shared/naming/override.ts";
import { REGISTRATION_DEFAULTS, type Registration } from "../../shared/naming/registration.ts";
import type { z } from "zod";
import type {
  PatchInstanceSchema,
  RegisterInstanceSchema,
  ReplaceInstanceSchema,
} from "../../shared/schemas/nacos-v1.ts";
import { groupedName, type ServiceRef } from "../../shared/naming/service-ref.ts";
import { canonicalAddress } from "../../shared/naming/address.ts";

/** The value of a result, or its refusal thrown. */
export function expectOk<T>(result: Result<T>): T {
  if (!result.ok) throw new NacosError(result.error);
  return result.value;
}

/** `ok`, exactly: Python clients compare the whole body. */
export function okText(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response("ok", { headers: { ...TEXT_HEADERS, ...headers } });
}

/** A JSON answer. */
export function jsonBody(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: JSON_HEADERS });
}

/** The answer to a beat that did not go the hot way. */
export function beatBody(answer: BeatAnswer): Response {
  return new Response(renderBeatBody(answer), { headers: JSON_HEADERS });
}

/** The registration that POST means. `enabled` wins over `enable`, `clusterName` over `cluster`. */
export function decodeRegistration(input: z.output<typeof RegisterInstanceSchema>): Registration {
  return {
    ip: canonicalAddress(input.ip),
    port: input.port,
    clusterName: input.clusterName ?? input.cluster ?? DEFAULT_CLUSTER,
    weight: input.weight ?? REGISTRATION_DEFAULTS.weight,
    enabled: input.enabled ?? input.enable ?? REGISTRATION_DEFAULTS.enabled,
    healthy: input.healthy ?? REGISTRATION_DEFAULTS.healthy,
    ephemeral: input.ephemeral ?? REGISTRATION_DEFAULTS.ephemeral,
    metadata: withoutNulls(input.metadata ?? NO_METADATA),
  };
}

/** The address that a request means; without a cluster it may stand in any. */
export function decodeAddress(input: {
  readonly ip: string;
  readonly port: number;
  readonly clusterName?: string | undefined;
  readonly cluster?: string | undefined;
}): NamedAddress {
  return {
    ip: canonicalAddress(input.ip),
    port: input.port,
    clusterName: input.clusterName ?? input.cluster ?? null,
  };
}

/** What PUT or PATCH sends. `enable` counts on PUT only, where `enabled` is blank. */
export function decodeEdit(
  input: z.output<typeof PatchInstanceSchema> | z.output<typeof ReplaceInstanceSchema>,
): InstanceEdit {
  const enabled = input.enabled ?? ("enable" in input ? input.enable : undefined);
  return {
    ...(input.weight === undefined ? {} : { weight: input.weight }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
  };
}

/** An instance as detail shows it: `service` grouped, the real health, no `enabled`. */
export function encodeDetail(ref: ServiceRef, instance: Instance): Record<string, unknown> {
  const { ip, port, clusterName, effective, healthy, instanceId } = instance;
  const metadata = metadataToObject(effective.metadata);
  return {
    service: groupedName(ref),
    ip,
    port,
    clusterName,
    weight: effective.weight,
    healthy,
    instanceId,
    metadata,
  };
}

/** What `view=full` adds to the detail: what was registered, what overrides it, what is in force. */
export function encodeFullDetail(ref: ServiceRef, instance: Instance): Record<string, unknown> {
  const { registered, override, effective } = instance;
  return {
    ...encodeDetail(ref, instance),
    enabled: effective.enabled,
    ephemeral: instance.ephemeral,
    registered: encodeValues(registered),
    override: override === null ? null : overrideToObject(override),
    effective: encodeValues(effective),
  };
}

function encodeValues(values: Instance["registered"]): Record<string, unknown> {
  return { weight: values.weight, enabled: values.enabled, metadata: metadataToObject(values.metadata) };
}

/** HTTP status of a refusal, where it is not 400. */
const STATUSES: Partial<Record<Failure["name"], number>> = {
  resourceNotFound: 404,
  instanceNotFound: 404,
  pathUnknown: 404,
  methodNotAllowed: 405,
  payloadTooLarge: 413,
  upgradeRequired: 426,
  noSuchApi: 501,
  unavailable: 503,
};

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Payload Too Large",
  426: "Upgrade Required",
  501: "Not Implemented",
  503: "Service Unavailable",
};

/** Refusals that come as an error page: what 2.x's servlet filters and its container say. */
const PAGES: ReadonlySet<Failure["name"]> = new Set([
  "groupedNameInvalid",
  "noSuchApi",
  "pathUnknown",
  "methodNotAllowed",
  "upgradeRequired",
]);

/** Renders a refusal in v1's form. `path` is the one that was asked for; `now` dates an error page. */
export function encodeFailure(failure: Failure, path: string, now: number): Response {
  const status = STATUSES[failure.name] ?? 400;
  if (PAGES.has(failure.name)) {
    const timestamp = new Date(now).toISOString().replace("Z", "+00:00");
    return jsonBody({ timestamp, status, error: REASONS[status], message: failure.message, path }, status);
  }
  // A refusal by a runtime exception of 2.x carries its code, and ends with a blank.
  const text =
    failure.name === "kindConflict" ? `errCode: 400, errMsg: ${failure.message} ` : failure.message;
  return new Response(text, { status, headers: TEXT_HEADERS });
}
