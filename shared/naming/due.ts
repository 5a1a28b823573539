import { PROTECT_HOLD_MS } from "./protection.ts";
import type { Instance } from "./instance.ts";
import { EMPTY_SERVICE_LIFETIME_MS, type ServiceRecord, type ServiceState } from "./service.ts";

/** Whether an instance lives by beats, and not by a session or until it is deregistered. */
function livesByBeats({ ephemeral, session }: Instance): boolean {
  return ephemeral && session === null;
}

/** When a silent instance turns unhealthy, in milliseconds; `Infinity` when it is, or lives without beats. */
export function unhealthyAt(instance: Instance): number {
  if (!instance.healthy || !livesByBeats(instance)) return Number.POSITIVE_INFINITY;
  return instance.lastBeat + instance.timings.beatTimeoutMs;
}

/** When a silent instance is removed, in milliseconds; `Infinity` when it lives without beats. */
export function removedAt(instance: Instance): number {
  return livesByBeats(instance)
    ? instance.lastBeat + instance.timings.deleteTimeoutMs
    : Number.POSITIVE_INFINITY;
}

/** The next thing due for one instance that nothing holds up. */
export function instanceDue(instance: Instance): number {
  return Math.min(unhealthyAt(instance), removedAt(instance));
}

/** Until when protection holds up removals; `-Infinity` when there is none. */
function heldUntil(record: ServiceRecord): number {
  return record.protectedSince === null ? -Infinity : record.protectedSince + PROTECT_HOLD_MS;
}

/** The next thing due for a service as a whole: the end of its emptiness, or of the hold of removals that is yet to end. */
export function recordDue(record: ServiceRecord, now: number): number {
  const { exists, isKept, emptySince } = record;
  const emptyUntil =
    exists && !isKept && emptySince !== null ? emptySince + EMPTY_SERVICE_LIFETIME_MS : Infinity;
  const held = heldUntil(record);
  return Math.min(emptyUntil, held > now ? held : Infinity);
}

/** The next thing due for one instance: under protection the removal of an unhealthy one waits for the hold's end. */
export function heldDue(instance: Instance, record: ServiceRecord): number {
  const due = instanceDue(instance);
  return instance.healthy ? due : Math.max(due, heldUntil(record));
}

/** The exact next thing due, over everything. */
export function earliestDue(state: ServiceState, now: number): number {
  let due = recordDue(state.record, now);
  for (const instance of state.instances.values()) due = Math.min(due, heldDue(instance, state.record));
  for (const orphan of state.orphanedOverrides.values()) due = Math.min(due, orphan.expiresAt);
  return due;
}
