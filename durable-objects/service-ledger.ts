import { CATALOGUE_PERIOD_MS } from "../shared/naming/catalogue.ts";
import { applyChange, type Change } from "../shared/naming/change.ts";
import { renewLeases } from "../shared/naming/beat.ts";
import { expire, refreshDue, restartLeases, wasAway } from "../shared/naming/expiry.ts";
import { MAX_EVENTS } from "../shared/naming/event.ts";
import type { Instance } from "../shared/naming/instance.ts";
import {
  applyCheckpoint,
  BUSY_WAKE_MS,
  isStillBeaten,
  needsCheckpoint,
  takeCheckpoint,
  type Checkpoint,
} from "../shared/naming/lease-storage.ts";
import { loadState } from "../shared/naming/load.ts";
import { DEREGISTRATION_MARK_MS, type ServiceState } from "../shared/naming/service.ts";
import type { ServiceRef } from "../shared/naming/service-ref.ts";
import type { ServiceStore } from "../shared/store.ts";

/** The object's one alarm, as far as the ledger touches it. */
export interface Alarm {
  set(at: number): void;
}

/**
 * An alarm is never set closer than this: one in the past or at this very moment stalls (workerd issue 6866), and what is
 * due within it is done in one go.
 */
const MIN_ALARM_GAP_MS = 200;

/**
 * A service's state in memory together with its store and its alarm: the one place where a change is stored, then applied,
 * and where the clock is acted on. All calls are synchronous, so none of them interleave.
 */
export class ServiceLedger {
  readonly #store: ServiceStore;
  readonly #alarm: Alarm;
  #state: ServiceState | null = null;
  /** When the pending alarm fires; `null` when there is none. */
  #alarmAt: number | null = null;
  #busyWakeAt = Number.POSITIVE_INFINITY;
  /** The earliest time at which the catalogue is to be told of changes again. */
  catalogueNotBefore = Number.NEGATIVE_INFINITY;
  /** When a delivery to a session is to be looked after; `Infinity` when none is open. */
  deliveryAt = Number.POSITIVE_INFINITY;
  /** Is told of each new revision, once it is stored. */
  onRevision: ((state: ServiceState, now: number) => void) | null = null;

  constructor(store: ServiceStore, alarm: Alarm) {
    this.#store = store;
    this.#alarm = alarm;
  }

  /** Tells, before any call, for when the alarm was set that the object finds when it starts. */
  setPendingAlarm(at: number | null): void {
    this.#alarmAt = at;
  }

  /** Whether enough time has passed since the catalogue was told; a time further ahead is of a clock that jumped back. */
  isCatalogueTime(now: number): boolean {
    return now >= this.catalogueNotBefore || this.catalogueNotBefore > now + CATALOGUE_PERIOD_MS;
  }

  /** The service as it is at `now`: loaded if need be, and with everything done that the clock made due. */
  open(ref: ServiceRef, now: number): ServiceState {
    const state = this.#state ?? this.#load(ref, now);
    this.#advance(state, now);
    return state;
  }

  /** Stores a change, then applies it. Throws what the store throws, and then nothing has happened. */
  commit(state: ServiceState, change: Change | null): void {
    if (change === null) return;
    const checkpoint = change.restartsLeases ? restartedCheckpoint(state, change.now) : null;
    const isMade = change.record.exists && !state.record.exists;
    const { revision } = state.record;
    this.#store.save(change, checkpoint);
    applyChange(state, change);
    if (checkpoint !== null) applyCheckpoint(state, checkpoint);
    if (state.record.revision !== revision) this.onRevision?.(state, change.now);
    // Who makes a service tells the catalogue at once, so that no alarm is needed for it.
    this.#arm(state, change.now, !isMade);
  }

  /** Starts the leases of instances again that were beaten at `at`; writes a checkpoint when one is due. */
  renew(state: ServiceState, instances: readonly Instance[], now: number, at: number = now): void {
    const wasBusy = state.isBusy;
    if (needsCheckpoint(state, now))
      this.#saveCheckpoint(state, takeCheckpoint(state, now, false, instances));
    renewLeases(state, instances, now, at);
    if (!wasBusy) this.#busyWakeAt = now + BUSY_WAKE_MS;
    if (!wasBusy || this.#alarmAt === null || state.nextDue < this.#alarmAt) this.#arm(state, now);
  }

  /**
   * What the alarm does. Harmless when it runs late, twice, or before its time. {@link arm} must follow, once the caller has
   * told the catalogue what there is to tell.
   * @returns the state, or `null` when nothing was ever stored
   */
  wake(now: number, scheduledTime: number): ServiceState | null {
    this.#alarmAt = Math.min(scheduledTime, this.#alarmAt ?? scheduledTime);
    const state = this.#state ?? this.#loadStored(now);
    if (state === null) return null;
    this.#advance(state, now);
    this.#alarmAt = null;
    if (isStillBeaten(state, now)) this.#busyWakeAt = now + BUSY_WAKE_MS;
    else if (state.isBusy) this.#settle(state, now);
    return state;
  }

  /** Sets the alarm again after a duty failed; called where `wake` may have thrown half-way. */
  retry(at: number): void {
    this.#alarmAt = at;
    this.#alarm.set(at);
  }

  /** Sets the alarm for the earliest thing due, unless it is set early enough. */
  arm(now: number): void {
    if (this.#state !== null) this.#arm(this.#state, now);
  }

  #advance(state: ServiceState, now: number): void {
    const due = Math.min(state.nextDue, this.#alarmAt ?? Number.POSITIVE_INFINITY);
    const isAway = wasAway(due, now);
    if (now < state.nextDue && !isAway) return;
    if (isAway) {
      this.commit(state, restartLeases(state, due, now));
      this.#alarmAt = null; // It did not fire when it should have: not to be relied on.
    }
    this.commit(state, expire(state, now));
    refreshDue(state, now);
    this.#arm(state, now);
  }

  #settle(state: ServiceState, now: number): void {
    this.#saveCheckpoint(state, takeCheckpoint(state, now, true));
  }

  #saveCheckpoint(state: ServiceState, checkpoint: Checkpoint): void {
    this.#store.saveCheckpoint(checkpoint);
    applyCheckpoint(state, checkpoint);
  }

  #arm(state: ServiceState, now: number, forCatalogue = true): void {
    // A clock that jumped back must not put off the catalogue by more than its period.
    const soonest = Math.min(this.catalogueNotBefore, now + CATALOGUE_PERIOD_MS);
    const catalogueAt = forCatalogue && state.record.isCatalogueDue ? soonest : Number.POSITIVE_INFINITY;
    const busyWakeAt = state.isBusy ? this.#busyWakeAt : Number.POSITIVE_INFINITY;
    const wakeAt = Math.min(state.nextDue, busyWakeAt, catalogueAt, this.deliveryAt);
    if (wakeAt === Number.POSITIVE_INFINITY) return;
    if (this.#alarmAt !== null && this.#alarmAt <= wakeAt) return;
    const at = Math.max(wakeAt, now + MIN_ALARM_GAP_MS);
    if (at === this.#alarmAt) return;
    this.#alarmAt = at;
    this.#alarm.set(at);
  }

  #loadStored(now: number): ServiceState | null {
    const stored = this.#store.load();
    return stored === null ? null : this.#load(stored.record.ref, now, stored);
  }

  #load(ref: ServiceRef, now: number, stored = this.#store.load()): ServiceState {
    const recent =
      stored === null
        ? []
        : this.#store.events({ after: 0, limit: MAX_EVENTS, since: now - DEREGISTRATION_MARK_MS });
    const state = loadState(stored, ref, recent, now);
    this.#state = state;
    if (state.isBusy) this.#busyWakeAt = this.#alarmAt ?? now + BUSY_WAKE_MS;
    this.#arm(state, now);
    return state;
  }
}

function restartedCheckpoint(state: ServiceState, now: number): Checkpoint {
  const checkpoint = takeCheckpoint(state, now, true);
  return { ...checkpoint, lastBeats: new Map([...checkpoint.lastBeats.keys()].map((slot) => [slot, now])) };
}
