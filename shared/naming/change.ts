import type { EventType, NewEvent, RegistryEvent } from "./event.ts";
import { BY_REGISTRY } from "./event.ts";
import { DEFAULT_CLUSTER_SETTINGS, sameClusterSettings, type ClusterSettings } from "./cluster-settings.ts";
import { addressKey, instanceKey, sameListed, type Instance, type InstanceAddress } from "./instance.ts";
import { earliestDue, heldDue, recordDue } from "./due.ts";
import { isServiceProtected } from "./protection.ts";
import { nextRevision } from "./revision.ts";
import type { InstanceCounts, OrphanedOverride, ServiceRecord, ServiceState } from "./service.ts";
import { sameSettings } from "./service.ts";

/** What a rule wants to change, gathered before anything is written. */
export interface Draft {
  /** New or replaced instances, by `instanceKey`. */
  readonly put: Map<string, Instance>;
  /** Instances that go, by `instanceKey`. */
  readonly removed: Map<string, Instance>;
  /** Overrides that begin to wait for their instance, or (`null`) stop waiting. */
  readonly orphaned: Map<string, OrphanedOverride | null>;
  /** Settings of clusters, set or (`null`) gone with the service. */
  readonly clusters: Map<string, ClusterSettings | null>;
  /** Marks of explicit deregistrations, set or (`null`) taken away. */
  readonly marks: Map<string, number | null>;
  /** Fields of the record that change. */
  record: Partial<ServiceRecord>;
  /** Every lease of the service starts again now. */
  restartsLeases: boolean;
  readonly events: NewEvent[];
}

/**
 * A whole transaction of a service: the rows to write and what follows from them. The shell stores it, then hands it to
 * {@link applyChange}; if the store throws, nothing has happened.
 */
export interface Change {
  readonly now: number;
  readonly record: ServiceRecord;
  readonly put: readonly Instance[];
  readonly removed: readonly Instance[];
  readonly orphaned: ReadonlyMap<string, OrphanedOverride | null>;
  readonly clusters: ReadonlyMap<string, ClusterSettings | null>;
  readonly marks: ReadonlyMap<string, number | null>;
  readonly counts: InstanceCounts;
  readonly restartsLeases: boolean;
  readonly events: readonly RegistryEvent[];
}

export function newDraft(): Draft {
  return {
    put: new Map(),
    removed: new Map(),
    orphaned: new Map(),
    clusters: new Map(),
    marks: new Map(),
    record: {},
    restartsLeases: false,
    events: [],
  };
}

/** Most characters of a cause: a thousand events are read at once. */
const MAX_CAUSE_LENGTH = 300;

/** Adds an event to a draft; a long cause is cut. */
export function note(
  draft: Draft,
  type: EventType,
  address: InstanceAddress | null,
  cause: string,
  by: string,
): void {
  const at = address && { clusterName: address.clusterName, ip: address.ip, port: address.port };
  const cut = cause.length > MAX_CAUSE_LENGTH ? `${cause.slice(0, MAX_CAUSE_LENGTH)}…` : cause;
  draft.events.push({ type, address: at, cause: cut, by });
}

/** The counts of a service once a draft is applied; looks only at what the draft touches. */
export function countsAfter(state: ServiceState, draft: Pick<Draft, "put" | "removed">): InstanceCounts {
  const counts = { ...state.counts };
  function add(instance: Instance | undefined, sign: 1 | -1): void {
    if (instance === undefined) return;
    counts.total += sign;
    if (instance.healthy) counts.healthy += sign;
    if (!instance.effective.enabled) return;
    counts.enabled += sign;
    if (instance.healthy) counts.healthyAndEnabled += sign;
  }
  for (const [key, instance] of draft.put) {
    add(state.instances.get(key), -1);
    add(instance, 1);
  }
  for (const instance of draft.removed.values()) add(instance, -1);
  return counts;
}

/**
 * Turns a draft into a change: counts, protection, emptiness, revision and numbered events follow from it in one place.
 * Returns `null` when the draft changes nothing at all.
 */
export function finishChange(state: ServiceState, draft: Draft, now: number): Change | null {
  if (isEmptyDraft(draft)) return null;
  const before = state.record;
  const counts = countsAfter(state, draft);
  const drafted: ServiceRecord = { ...before, ...draft.record };
  const isNowProtected = isServiceProtected(counts, drafted.settings.protectThreshold);
  if (isNowProtected !== (before.protectedSince !== null))
    noteProtection(draft, counts, drafted, isNowProtected);
  const settled: ServiceRecord = {
    ...drafted,
    protectedSince: isNowProtected ? (before.protectedSince ?? now) : null,
    emptySince:
      drafted.exists && counts.total === 0 ? (before.exists ? (drafted.emptySince ?? now) : now) : null,
    isCatalogueDue: before.isCatalogueDue || changesCatalogue(state, draft, drafted, counts),
  };
  const record = changesAnswers(state, draft, settled) ? nextRevision(settled, now) : settled;
  const events = draft.events.map((event, index) => ({
    ...event,
    seq: state.eventSeq + index + 1,
    time: now,
  }));
  return {
    now,
    record,
    put: [...draft.put.values()],
    removed: [...draft.removed.values()],
    orphaned: draft.orphaned,
    clusters: draft.clusters,
    marks: draft.marks,
    counts,
    restartsLeases: draft.restartsLeases,
    events,
  };
}

function isEmptyDraft(draft: Draft): boolean {
  return (
    draft.put.size === 0 &&
    draft.removed.size === 0 &&
    draft.orphaned.size === 0 &&
    draft.clusters.size === 0 &&
    draft.marks.size === 0 &&
    draft.events.length === 0 &&
    !draft.restartsLeases &&
    Object.keys(draft.record).length === 0
  );
}

function noteProtection(draft: Draft, counts: InstanceCounts, record: ServiceRecord, began: boolean): void {
  const share = `${counts.healthyAndEnabled} of ${counts.enabled} enabled instances healthy`;
  const cause = `${share}, threshold ${record.settings.protectThreshold}`;
  note(draft, began ? "protection-began" : "protection-ended", null, cause, BY_REGISTRY);
}

function changesCatalogue(
  state: ServiceState,
  draft: Draft,
  after: ServiceRecord,
  counts: InstanceCounts,
): boolean {
  const before = state.record;
  if (before.exists !== after.exists) return true;
  if (!after.exists) return false;
  const { counts: old } = state;
  return (
    old.total !== counts.total ||
    old.healthy !== counts.healthy ||
    old.enabled !== counts.enabled ||
    old.healthyAndEnabled !== counts.healthyAndEnabled ||
    before.settings.protectThreshold !== after.settings.protectThreshold ||
    [...draft.put.keys()].some((key) => !state.instances.has(key))
  );
}

function changesAnswers(state: ServiceState, draft: Draft, after: ServiceRecord): boolean {
  const before = state.record;
  if (draft.removed.size > 0 || before.exists !== after.exists) return true;
  if (!sameSettings(before.settings, after.settings)) return true;
  for (const [name, settings] of draft.clusters) {
    const old = state.clusterSettings.get(name) ?? DEFAULT_CLUSTER_SETTINGS;
    const isShown = state.clusterSizes.has(name);
    if (isShown && !sameClusterSettings(old, settings ?? DEFAULT_CLUSTER_SETTINGS)) return true;
  }
  for (const [key, instance] of draft.put) {
    const old = state.instances.get(key);
    if (old === undefined || !sameListed(old, instance)) return true;
  }
  return false;
}

/** Brings a state up to date with a change that is stored. */
export function applyChange(state: ServiceState, change: Change): void {
  const hadProtection = state.record.protectedSince !== null;
  state.record = change.record;
  state.counts = change.counts;
  for (const instance of change.put) putInstance(state, instance);
  for (const instance of change.removed) removeInstance(state, instance);
  for (const [key, orphan] of change.orphaned) setOrDelete(state.orphanedOverrides, key, orphan);
  for (const [name, settings] of change.clusters) setOrDelete(state.clusterSettings, name, settings);
  for (const [key, time] of change.marks) setOrDelete(state.deregisteredAt, key, time);
  state.eventSeq += change.events.length;
  if (change.restartsLeases) {
    for (const instance of state.instances.values()) if (instance.ephemeral) instance.lastBeat = change.now;
    state.nextDue = earliestDue(state, change.now);
  }
  state.nextDue = Math.min(state.nextDue, dueOfChange(change, hadProtection));
}

/**
 * The next thing that a change makes due. Never before the change itself: what was due earlier has been acted on, or is
 * held up, and must not be taken for something that was missed.
 */
function dueOfChange(change: Change, hadProtection: boolean): number {
  const { now, record } = change;
  let due = recordDue(record, now);
  for (const instance of change.put) due = Math.min(due, heldDue(instance, record));
  for (const orphan of change.orphaned.values()) due = Math.min(due, orphan?.expiresAt ?? Infinity);
  // What waited for its removal under protection is due as soon as protection ends.
  if (hadProtection && record.protectedSince === null) due = now;
  return Math.max(due, now);
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

/** Puts an instance into the table and its indexes; also used to load one. */
export function putInstance(state: ServiceState, instance: Instance): void {
  const key = instanceKey(instance);
  const isNew = !state.instances.has(key);
  state.instances.set(key, instance);
  const address = addressKey(instance.ip, instance.port);
  const others = (state.byAddress.get(address) ?? []).filter(
    (other) => other.clusterName !== instance.clusterName,
  );
  state.byAddress.set(address, [...others, instance]);
  if (isNew)
    state.clusterSizes.set(instance.clusterName, (state.clusterSizes.get(instance.clusterName) ?? 0) + 1);
}

function removeInstance(state: ServiceState, instance: Instance): void {
  if (!state.instances.delete(instanceKey(instance))) return;
  const address = addressKey(instance.ip, instance.port);
  const others = (state.byAddress.get(address) ?? []).filter(
    (other) => other.clusterName !== instance.clusterName,
  );
  setOrDelete(state.byAddress, address, others.length === 0 ? null : others);
  const left = (state.clusterSizes.get(instance.clusterName) ?? 1) - 1;
  setOrDelete(state.clusterSizes, instance.clusterName, left === 0 ? null : left);
}
