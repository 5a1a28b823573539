import { fail, succeed, type Result } from "../errors.ts";
import { canonicalAddress } from "./address.ts";
import { finishChange, newDraft, note, type Change, type Draft } from "./change.ts";
import {
  addressKey,
  addressOfKey,
  DEFAULT_WEIGHT,
  instanceKey,
  makeInstance,
  sameInstance,
  simpleInstanceId,
  type Instance,
  type InstanceAddress,
  type NamedAddress,
} from "./instance.ts";
import { makeInstanceId, readIdGenerator } from "./instance-id.ts";
import { MAX_STORED_METADATA_LENGTH, metadataLength, type Metadata } from "./metadata.ts";
import { DEREGISTRATION_MARK_MS, serviceKind, type ServiceState } from "./service.ts";
import { groupedName, type ServiceRef } from "./service-ref.ts";
import { checkTimings, readTimings } from "./timings.ts";

/** What a client registers. */
export interface Registration extends InstanceAddress {
  readonly weight: number;
  readonly enabled: boolean;
  readonly healthy: boolean;
  readonly ephemeral: boolean;
  readonly metadata: Metadata;
  /** The session that the instance is to live by; absent: it lives by beats. */
  readonly session?: string;
}

/** What a registration holds where the client says nothing. */
export const REGISTRATION_DEFAULTS = {
  weight: DEFAULT_WEIGHT,
  enabled: true,
  healthy: true,
  ephemeral: true,
} as const satisfies Partial<Registration>;

/** Who did something, and why, as events tell it. */
export interface Origin {
  readonly by: string;
  readonly cause: string;
}

type Kind = "ephemeral" | "persistent";

/** The refusal of a second kind in one service, in the words of Nacos 2.x. */
export function kindConflict(ref: ServiceRef, kind: Kind): ReturnType<typeof fail> {
  const other: Kind = kind === "ephemeral" ? "persistent" : "ephemeral";
  return fail(
    "kindConflict",
    `Current service ${groupedName(ref)} is ${kind} service, can't register ${other} instance.`,
  );
}

/** A registration that may be carried out. */
export interface PlannedRegistration {
  readonly change: Change | null;
  /** The instance that is there already, word for word, so that only its lease starts again; `null` for a new or changed one. */
  readonly renewed: Instance | null;
}

/**
 * Plans a registration: replaces the registered values wholesale, keeps the operator's override, starts a new lease and
 * makes the service where there is none. Idempotent.
 * Refuses with `instanceInvalid` (timings out of order, unknown id generator), `metadataInvalid` and `kindConflict`.
 */
export function planRegistration(
  state: ServiceState,
  registration: Registration,
  now: number,
  origin: Origin,
): Result<PlannedRegistration> {
  const refused = checkRegistration(state, registration);
  if (refused !== null) return refused;
  const ip = canonicalAddress(registration.ip);
  const address = { clusterName: registration.clusterName, ip, port: registration.port };
  const key = instanceKey(address);
  const old = state.instances.get(key);
  const instance = registeredInstance(state, registration, address, now);
  const excess = checkStoredMetadata(instance);
  if (excess !== null) return fail("metadataInvalid", excess);
  const draft = newDraft();
  if (state.deregisteredAt.has(key)) draft.marks.set(key, null);
  const renewed = old !== undefined && sameInstance(old, instance) ? old : null;
  if (renewed === null) putRegistered(state, draft, key, instance, origin);
  return succeed({ renewed, change: finishChange(state, draft, now) });
}

/**
 * The refusal of more metadata than an instance may gather, what was registered and what overrides it together, or of as
 * many hidden keys; `null` when it is within bounds.
 */
export function checkStoredMetadata(instance: Instance): string | null {
  const hidden = instance.override?.metadata?.mode === "merge" ? instance.override.metadata.hidden : [];
  let hiddenLength = 0;
  for (const key of hidden) hiddenLength += key.length;
  const length = Math.max(metadataLength(instance.effective.metadata), hiddenLength);
  if (length <= MAX_STORED_METADATA_LENGTH) return null;
  const limit = `all metadata of an instance should not exceed ${MAX_STORED_METADATA_LENGTH}`;
  return `Param 'Metadata' is illegal, ${limit}. (current length: ${length})`;
}

function checkRegistration(state: ServiceState, registration: Registration): ReturnType<typeof fail> | null {
  const timings = checkTimings(readTimings(registration.metadata));
  if (timings !== null) return fail("instanceInvalid", timings);
  const generator = readIdGenerator(registration.metadata);
  if (!generator.ok) return generator;
  const kind = serviceKind(state);
  const isOther = kind !== null && (kind === "ephemeral") !== registration.ephemeral;
  return isOther ? kindConflict(state.record.ref, kind) : null;
}

function registeredInstance(
  state: ServiceState,
  registration: Registration,
  address: InstanceAddress,
  now: number,
): Instance {
  const key = instanceKey(address);
  const old = state.instances.get(key);
  const orphan = state.orphanedOverrides.get(key);
  const slot = old?.slot ?? state.record.nextSlot;
  const generator = readIdGenerator(registration.metadata);
  const isSnowflake = generator.ok && generator.value === "snowflake";
  const simple = simpleInstanceId(state.record.ref, address);
  // A snowflake id stays over registrations, so that an identical one changes nothing (design, section 5).
  const kept = old !== undefined && old.instanceId !== simple ? old.instanceId : null;
  return makeInstance({
    ...address,
    ephemeral: registration.ephemeral,
    slot,
    instanceId: isSnowflake ? (kept ?? makeInstanceId(state.record.ref, address, now, slot)) : simple,
    registered: {
      weight: registration.weight,
      enabled: registration.enabled,
      metadata: registration.metadata,
    },
    session: registration.session ?? null,
    override: old?.override ?? (orphan !== undefined && now < orphan.expiresAt ? orphan.override : null),
    healthy: registration.healthy,
    lastBeat: now,
  });
}

function putRegistered(
  state: ServiceState,
  draft: Draft,
  key: string,
  instance: Instance,
  origin: Origin,
): void {
  draft.put.set(key, instance);
  if (!state.instances.has(key)) draft.record = { nextSlot: state.record.nextSlot + 1 };
  if (!state.record.exists) draft.record = { ...draft.record, exists: true };
  if (state.orphanedOverrides.has(key)) draft.orphaned.set(key, null);
  const old = state.instances.get(key);
  const health = instance.healthy ? "" : ", unhealthy until its first beat";
  note(
    draft,
    "registered",
    instance,
    origin.cause + (old === undefined ? "" : " (changed)") + health,
    origin.by,
  );
}

/**
 * Plans an explicit deregistration: with a cluster of the instance in it, without one of every instance with the address,
 * whatever their kind. Ends their overrides, and marks them so that a beat under way does not bring them back.
 * Deregistering what is not there changes nothing and leaves no mark.
 */
export function planDeregistration(
  state: ServiceState,
  address: NamedAddress,
  now: number,
  origin: Origin,
): { readonly removed: number; readonly change: Change | null } {
  const ip = canonicalAddress(address.ip);
  const there = state.byAddress.get(addressKey(ip, address.port)) ?? [];
  const meant = there.filter(({ clusterName }) => (address.clusterName ?? clusterName) === clusterName);
  const draft = newDraft();
  for (const key of state.orphanedOverrides.keys()) {
    if (isMeantBy(key, ip, address)) draft.orphaned.set(key, null);
  }
  for (const [key, time] of state.deregisteredAt) {
    if (meant.length > 0 && now >= time + DEREGISTRATION_MARK_MS) draft.marks.set(key, null);
  }
  for (const instance of meant) {
    const key = instanceKey(instance);
    draft.removed.set(key, instance);
    draft.marks.set(key, now);
    note(draft, "deregistered", instance, origin.cause, origin.by);
  }
  return { removed: meant.length, change: finishChange(state, draft, now) };
}

/** Whether the instance under a key is one that an address, with or without a cluster, means. */
function isMeantBy(key: string, ip: string, address: NamedAddress): boolean {
  if (address.clusterName !== null)
    return key === instanceKey({ ...address, clusterName: address.clusterName, ip });
  return addressOfKey(key) === addressKey(ip, address.port);
}
