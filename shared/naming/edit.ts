import { fail, succeed, type Result } from "../errors.ts";
import { canonicalAddress } from "./address.ts";
import { finishChange, newDraft, note, type Change } from "./change.ts";
import {
  addressKey,
  changeInstance,
  compareInstances,
  DEFAULT_CLUSTER,
  instanceKey,
  sameInstance,
  wantedTimings,
  type Instance,
  type NamedAddress,
} from "./instance.ts";
import { ID_GENERATOR_KEY, readIdGenerator } from "./instance-id.ts";
import type { MetadataEdit } from "./metadata.ts";
import {
  clearOverrideField,
  describeOverride,
  patchOverride,
  replaceOverride,
  type Override,
  type OverrideField,
} from "./override.ts";
import { checkStoredMetadata, type Origin } from "./registration.ts";
import { serviceKind, type ServiceState } from "./service.ts";
import { groupedName } from "./service-ref.ts";
import { checkTimings, sameTimings } from "./timings.ts";

/** What an edit sends; a field that is not there was not sent. */
export interface InstanceEdit {
  readonly weight?: number;
  readonly enabled?: boolean;
  readonly metadata?: MetadataEdit;
}

/**
 * The instance that detail shows: in the named cluster; without one the one in DEFAULT, else the first in the order of
 * lists. Refuses with `resourceNotFound` in the words of Nacos 2.x.
 */
export function findInstance(state: ServiceState, address: NamedAddress): Result<Instance> {
  const found = findAll(state, address)[0];
  if (found !== undefined) return succeed(found);
  if (state.instances.size > 0) return fail("resourceNotFound", "no matched ip found!");
  const cluster = address.clusterName ?? DEFAULT_CLUSTER;
  const service = groupedName(state.record.ref);
  return fail("resourceNotFound", `no ips found for cluster ${cluster} in service ${service}`);
}

/** Every instance that an address may mean, the one in DEFAULT alone if there is one, else in the order of lists. */
function findAll(state: ServiceState, address: NamedAddress): readonly Instance[] {
  const ip = canonicalAddress(address.ip);
  const there = state.byAddress.get(addressKey(ip, address.port)) ?? [];
  const clusterName = address.clusterName ?? DEFAULT_CLUSTER;
  const exact = there.find((instance) => instance.clusterName === clusterName);
  if (exact !== undefined) return [exact];
  return address.clusterName === null ? there.toSorted(compareInstances) : [];
}

/** The one instance that an edit may change: an address in several clusters must say which (design, section 2). */
function findEdited(state: ServiceState, address: NamedAddress): Result<Instance> {
  const found = findAll(state, address);
  if (found.length < 2) return findInstance(state, address);
  const clusters = found.map((instance) => instance.clusterName).join(", ");
  return fail(
    "clusterAmbiguous",
    `Param 'clusterName' is required: ${address.ip}:${address.port} stands in the clusters ${clusters}.`,
  );
}

/**
 * Plans a PUT: weight and enabled are set to what is sent or to their defaults, metadata only when they are sent. For an
 * instance that is not there it is `ok` and stores nothing, as long as the service exists (Nacos 2.x).
 * Refuses with `serviceNotFound`, `clusterAmbiguous`, `instanceInvalid`, `metadataInvalid`.
 */
export function planReplacement(
  state: ServiceState,
  address: NamedAddress,
  edit: InstanceEdit,
  now: number,
  origin: Origin,
): Result<Change | null> {
  const { ref, exists } = state.record;
  if (!exists) {
    return fail(
      "serviceNotFound",
      `service not found, namespace: ${ref.namespaceId}, service: ${groupedName(ref)}`,
    );
  }
  const found = findEdited(state, address);
  if (!found.ok) return found.error.name === "resourceNotFound" ? succeed(null) : found;
  return planOverrides(state, [found.value], (current) => replaceOverride(current, edit), now, origin);
}

/**
 * Plans a PATCH: only what is sent changes; metadata merge, and a `null` takes a key away.
 * Refuses with `resourceNotFound`, `clusterAmbiguous`, `instanceInvalid`, `metadataInvalid`.
 */
export function planPatch(
  state: ServiceState,
  address: NamedAddress,
  edit: InstanceEdit,
  now: number,
  origin: Origin,
): Result<Change | null> {
  const found = findEdited(state, address);
  if (!found.ok) return found;
  return planOverrides(state, [found.value], (current) => patchOverride(current, edit), now, origin);
}

/** What a batch edit does to the metadata of many instances. */
export interface BatchEdit {
  /** Whom: those of the list that exist; `null` or an empty list means every instance of the service (Nacos 2.x). */
  readonly addresses: readonly NamedAddress[] | null;
  /** Keys to set, or (`null`) to hide. */
  readonly metadata: MetadataEdit;
}

/**
 * Plans an edit of the metadata of many instances; entries without a cluster mean DEFAULT. What does not exist is passed
 * over. Refuses with `instanceInvalid`, `metadataInvalid`, and then changes none.
 * @returns the instances it is for, in the order of lists
 */
export function planBatchEdit(
  state: ServiceState,
  edit: BatchEdit,
  now: number,
  origin: Origin,
): Result<{ readonly updated: readonly Instance[]; readonly change: Change | null }> {
  const updated = batchTargets(state, edit.addresses ?? []).toSorted(compareInstances);
  const { metadata } = edit;
  const planned = planOverrides(
    state,
    updated,
    (current) => patchOverride(current, { metadata }),
    now,
    origin,
  );
  return planned.ok ? succeed({ updated, change: planned.value }) : planned;
}

function batchTargets(state: ServiceState, addresses: readonly NamedAddress[]): Instance[] {
  if (addresses.length === 0) return [...state.instances.values()];
  const targets = new Map<string, Instance>();
  for (const { ip, port, clusterName } of addresses) {
    const key = instanceKey({ ip: canonicalAddress(ip), port, clusterName: clusterName ?? DEFAULT_CLUSTER });
    const instance = state.instances.get(key);
    if (instance !== undefined) targets.set(key, instance);
  }
  return [...targets.values()];
}

/**
 * Plans the clearing of one field of an override, or (`field` undefined) of all of it.
 * Refuses with `resourceNotFound` and `clusterAmbiguous`.
 */
export function planClearing(
  state: ServiceState,
  address: NamedAddress,
  field: OverrideField | undefined,
  now: number,
  origin: Origin,
): Result<Change | null> {
  const found = findEdited(state, address);
  if (!found.ok) return found;
  const instance = found.value;
  const changed = changeInstance(instance, { override: clearOverrideField(instance.override, field) });
  if (sameInstance(instance, changed)) return succeed(null);
  const draft = newDraft();
  draft.put.set(instanceKey(instance), changed);
  note(draft, "override-cleared", instance, `${origin.cause}: ${field ?? "all"}`, origin.by);
  return succeed(finishChange(state, draft, now));
}

/**
 * Plans new overrides of instances, each made from the current one; events tell what was sent (what is made of none), not
 * all that is in force.
 */
function planOverrides(
  state: ServiceState,
  instances: readonly Instance[],
  override: (current: Override | null) => Override,
  now: number,
  origin: Origin,
): Result<Change | null> {
  const draft = newDraft();
  const sent = describeOverride(override(null));
  for (const instance of instances) {
    const made = override(instance.override);
    const isNothing = Object.keys(made).length === 0;
    const changed = changeInstance(instance, { override: isNothing ? null : made });
    if (sameInstance(instance, changed)) continue;
    const refused = checkEdited(instance, changed);
    if (refused !== null) return refused;
    draft.put.set(instanceKey(instance), changed);
    note(draft, "override-set", instance, `${origin.cause}: ${sent}`, origin.by);
  }
  return succeed(finishChange(state, draft, now));
}

/** Timings and id generator are looked at only where an edit changes them: what is odd already hinders no other edit. */
function checkEdited(before: Instance, after: Instance): ReturnType<typeof fail> | null {
  const wanted = wantedTimings(after);
  const timings = sameTimings(wantedTimings(before), wanted) ? null : checkTimings(wanted);
  if (timings !== null && after.ephemeral) return fail("instanceInvalid", timings);
  const generator = readIdGenerator(after.effective.metadata);
  const isNew =
    before.effective.metadata.get(ID_GENERATOR_KEY) !== after.effective.metadata.get(ID_GENERATOR_KEY);
  if (isNew && !generator.ok) return generator;
  const excess = checkStoredMetadata(after);
  return excess === null ? null : fail("metadataInvalid", excess);
}

/** The word for a service's kind in the answer of a batch edit (Nacos: `ephemeral` or `persist`). */
export function batchKindWord(state: ServiceState): "ephemeral" | "persist" {
  return serviceKind(state) === "persistent" ? "persist" : "ephemeral";
}
