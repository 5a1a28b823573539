import { type Instance } from "./instance.ts";
import type { ServiceState } from "./service.ts";

/**
 * How last beats are kept without a write for each (design, section 3, rule 4):
 *
 * 1. A beat only moves the instance's clock in memory.
 * 2. A beat that finds the checkpoint older than {@link CHECKPOINT_PERIOD_MS} writes all clocks as one row. Beats after it
 *    are in memory only, so after a crash a clock is taken as the checkpoint's time plus that period: never too early.
 * 3. While beats come the object is woken every {@link BUSY_WAKE_MS}, sooner than the runtime drops the memory of an idle
 *    object (10 s). A wake-up that finds that beats have stopped writes a last, exact checkpoint and lets the object
 *    sleep. So what is read after a sleep is exact, and only a crash costs up to the period.
 */
export const CHECKPOINT_PERIOD_MS = 5_000;
export const BUSY_WAKE_MS = 8_000;

/** The clocks of a service's instances at one moment. */
export interface Checkpoint {
  /** When it was taken, in milliseconds. */
  readonly at: number;
  /** Whether no beat can have come after it. */
  readonly isExact: boolean;
  /** Last beats in milliseconds, by the instance's slot. */
  readonly lastBeats: ReadonlyMap<number, number>;
}

/** Whether a beat at `now` must be stored with a checkpoint. */
export function needsCheckpoint(state: ServiceState, now: number): boolean {
  // A clock that jumped back makes the checkpoint lie ahead: it is written again.
  return !state.isBusy || now >= state.checkpointAt + CHECKPOINT_PERIOD_MS || now < state.checkpointAt;
}

/**
 * Takes the clocks of all ephemeral instances as they are in memory, but for those of `beaten`, whose beat at `now` is in
 * the checkpoint before it is in memory.
 */
export function takeCheckpoint(
  state: ServiceState,
  now: number,
  isExact: boolean,
  beaten: readonly Instance[] = [],
): Checkpoint {
  const lastBeats = new Map<number, number>();
  for (const instance of state.instances.values()) {
    if (instance.ephemeral) lastBeats.set(instance.slot, instance.lastBeat);
  }
  for (const instance of beaten) lastBeats.set(instance.slot, now);
  return { at: now, isExact, lastBeats };
}

/** Notes in memory that a checkpoint is stored. */
export function applyCheckpoint(state: ServiceState, checkpoint: Checkpoint): void {
  state.checkpointAt = checkpoint.at;
  state.isBusy = !checkpoint.isExact;
}

/** Whether a wake-up finds the service still beaten, so that another wake-up must follow. */
export function isStillBeaten(state: ServiceState, now: number): boolean {
  return state.isBusy && now - state.lastBeatAt < BUSY_WAKE_MS;
}

/**
 * The last beat of an instance after memory was lost.
 * @param instance as stored: its `lastBeat` is the time of its registration or of its last change
 * @returns never earlier than the true time, never later than `now`; exact when the checkpoint is, or the instance is
 *   unhealthy (its next beat would have been stored)
 */
export function recoverLastBeat(instance: Instance, checkpoint: Checkpoint | null, now: number): number {
  if (checkpoint === null) return Math.min(instance.lastBeat, now);
  const stored = Math.max(instance.lastBeat, checkpoint.lastBeats.get(instance.slot) ?? instance.lastBeat);
  if (checkpoint.isExact || !instance.healthy) return Math.min(stored, now);
  return Math.min(Math.max(stored, checkpoint.at + CHECKPOINT_PERIOD_MS), now);
}
