import type { StoredService } from "../store.ts";
import { countsAfter, putInstance } from "./change.ts";
import { earliestDue } from "./due.ts";
import type { RegistryEvent } from "./event.ts";
import { instanceKey } from "./instance.ts";
import { applyCheckpoint, recoverLastBeat } from "./lease-storage.ts";
import { DEREGISTRATION_MARK_MS, emptyState, newRecord, type ServiceState } from "./service.ts";
import type { ServiceRef } from "./service-ref.ts";

/**
 * Rebuilds a service in memory after its object lost it.
 * @param stored `null` for a service that never was
 * @param recent the newest events, newest first: the marks of explicit deregistrations are read from them
 */
export function loadState(
  stored: StoredService | null,
  ref: ServiceRef,
  recent: readonly RegistryEvent[],
  now: number,
): ServiceState {
  if (stored === null) return emptyState(newRecord(ref, now));
  const state = emptyState(stored.record);
  for (const instance of stored.instances) {
    instance.lastBeat = recoverLastBeat(instance, stored.checkpoint, now);
    putInstance(state, instance);
  }
  state.counts = countsAfter(emptyState(stored.record), { put: state.instances, removed: new Map() });
  for (const [key, orphan] of stored.orphanedOverrides) state.orphanedOverrides.set(key, orphan);
  for (const [name, settings] of stored.clusterSettings) state.clusterSettings.set(name, settings);
  state.eventSeq = stored.eventSeq;
  if (stored.checkpoint !== null) applyCheckpoint(state, stored.checkpoint);
  recoverMarks(state, recent, now);
  // Whatever was due before the last revision was acted on with it, but for what protection held up: that is no absence.
  state.nextDue = Math.max(earliestDue(state, now), Math.min(stored.record.lastRefTime, now));
  return state;
}

function recoverMarks(state: ServiceState, recent: readonly RegistryEvent[], now: number): void {
  const judged = new Set<string>();
  for (const { type, address, time } of recent) {
    if (address === null || (type !== "deregistered" && type !== "registered")) continue;
    const key = instanceKey(address);
    if (judged.has(key)) continue;
    judged.add(key);
    if (type === "deregistered" && now < time + DEREGISTRATION_MARK_MS) state.deregisteredAt.set(key, time);
  }
}
