import { countsAfter, finishChange, newDraft, note, type Change, type Draft } from "./change.ts";
import { earliestDue, removedAt, unhealthyAt } from "./due.ts";
import { BY_REGISTRY } from "./event.ts";
import { changeInstance, type Instance } from "./instance.ts";
import { holdsRemovals, isServiceProtected } from "./protection.ts";
import {
  EMPTY_SERVICE_LIFETIME_MS,
  ORPHANED_OVERRIDE_LIFETIME_MS,
  serviceKind,
  type ServiceState,
} from "./service.ts";
import { draftDeletion } from "./settings.ts";

/**
 * A duty that is found this much after its time was not acted on because the registry was away (process stopped, machine
 * asleep, deploy, clock jumped forward): design, section 3, rule 3.
 */
export const AWAY_AFTER_MS = 3_000;

/** Whether the registry was away when something was due. */
export function wasAway(due: number, now: number): boolean {
  return now - due > AWAY_AFTER_MS;
}

/**
 * Every wait starts again with its full time: leases, orphaned overrides, the emptiness of a service that only instances
 * made. Nothing is marked or removed.
 * @param since the duty that was missed, in milliseconds
 * @returns `null` when there is nothing that waits
 */
export function restartLeases(state: ServiceState, since: number, now: number): Change | null {
  const { exists, isKept, emptySince } = state.record;
  const isWaitingEmpty = exists && !isKept && emptySince !== null;
  if (serviceKind(state) !== "ephemeral" && state.orphanedOverrides.size === 0 && !isWaitingEmpty)
    return null;
  const draft = newDraft();
  draft.restartsLeases = true;
  if (isWaitingEmpty) draft.record = { emptySince: now };
  for (const [key, { override }] of state.orphanedOverrides) {
    draft.orphaned.set(key, { override, expiresAt: now + ORPHANED_OVERRIDE_LIFETIME_MS });
  }
  const cause = `the registry was away: what was due came ${now - since} ms late, so every lease starts again`;
  note(draft, "leases-restarted", null, cause, BY_REGISTRY);
  return finishChange(state, draft, now);
}

/**
 * Does what the clock has made due: marks silent instances unhealthy, removes expired ones unless protection holds them
 * up, ends overrides that nobody came back to, and takes a service away that has been empty for long.
 * @returns `null` when nothing was due after all; {@link refreshDue} goes with it either way
 */
export function expire(state: ServiceState, now: number): Change | null {
  const draft = newDraft();
  markSilent(state, draft, now);
  removeExpired(state, draft, now);
  for (const [key, orphan] of state.orphanedOverrides) {
    if (now >= orphan.expiresAt && !draft.orphaned.has(key)) draft.orphaned.set(key, null);
  }
  removeEmptyService(state, draft, now);
  return finishChange(state, draft, now);
}

/** Sets `nextDue` from everything there is; called once {@link expire} is applied. */
export function refreshDue(state: ServiceState, now: number): void {
  state.nextDue = earliestDue(state, now);
}

function markSilent(state: ServiceState, draft: Draft, now: number): void {
  for (const [key, instance] of state.instances) {
    if (now < unhealthyAt(instance)) continue;
    draft.put.set(key, changeInstance(instance, { healthy: false }));
    note(draft, "unhealthy", instance, `no beat for ${instance.timings.beatTimeoutMs} ms`, BY_REGISTRY);
  }
}

function removeExpired(state: ServiceState, draft: Draft, now: number): void {
  const counts = countsAfter(state, draft);
  const isProtected = isServiceProtected(counts, state.record.settings.protectThreshold);
  const isHolding = isProtected && holdsRemovals(state.record.protectedSince ?? now, now);
  for (const [key, instance] of state.instances) {
    if (now < removedAt(instance)) continue;
    if (isHolding) holdInstance(draft, key, instance);
    else expireInstance(draft, key, instance, now);
  }
}

/** Under protection an expired instance stays, marked unhealthy; it need not have been marked before. */
function holdInstance(draft: Draft, key: string, instance: Instance): void {
  if (!instance.healthy || draft.put.has(key)) return;
  draft.put.set(key, changeInstance(instance, { healthy: false }));
  const cause = `no beat for ${instance.timings.deleteTimeoutMs} ms; protection holds up its removal`;
  note(draft, "unhealthy", instance, cause, BY_REGISTRY);
}

function expireInstance(draft: Draft, key: string, instance: Instance, now: number): void {
  draft.put.delete(key);
  draft.removed.set(key, instance);
  note(draft, "expired", instance, `no beat for ${instance.timings.deleteTimeoutMs} ms`, BY_REGISTRY);
  if (instance.override === null) return;
  draft.orphaned.set(key, { override: instance.override, expiresAt: now + ORPHANED_OVERRIDE_LIFETIME_MS });
}

function removeEmptyService(state: ServiceState, draft: Draft, now: number): void {
  const { exists, isKept, emptySince } = state.record;
  if (!exists || isKept || emptySince === null || state.instances.size > 0) return;
  if (now < emptySince + EMPTY_SERVICE_LIFETIME_MS) return;
  draftDeletion(state, draft, { cause: `no instance for ${EMPTY_SERVICE_LIFETIME_MS} ms`, by: BY_REGISTRY });
}
