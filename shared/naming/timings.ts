import type { Metadata } from "./metadata.ts";

/** Metadata keys that set an instance's own timings, in milliseconds (Nacos 1.x and 2.x). */
export const BEAT_INTERVAL_KEY = "preserved.heart.beat.interval";
export const BEAT_TIMEOUT_KEY = "preserved.heart.beat.timeout";
export const DELETE_TIMEOUT_KEY = "preserved.ip.delete.timeout";

export const DEFAULT_BEAT_INTERVAL_MS = 5_000;
export const DEFAULT_BEAT_TIMEOUT_MS = 15_000;
export const DEFAULT_DELETE_TIMEOUT_MS = 30_000;

/** The shortest interval that a beat answer tells: Go and Java clients obey it, and 0 would make them beat without pause. */
export const MIN_TOLD_INTERVAL_MS = 1_000;

/** How an instance's lease runs; all in milliseconds. */
export interface Timings {
  /** Told to the client in the beat answer. */
  readonly beatIntervalMs: number;
  /** Silence after which the instance is unhealthy. */
  readonly beatTimeoutMs: number;
  /** Silence after which the instance is removed. */
  readonly deleteTimeoutMs: number;
}

const DIGITS = /^\d{1,15}$/;

/**
 * Reads timings from metadata. Values that are not decimal digits count as not set (Nacos 1.x; 2.x takes them as 0 and
 * kills the instance).
 * @param metadata what applies first; `registered` is asked for the keys that it does not name (design, section 2)
 */
export function readTimings(metadata: Metadata, registered: Metadata = metadata): Timings {
  function read(key: string, fallback: number): number {
    const value = metadata.get(key) ?? registered.get(key);
    return value !== undefined && DIGITS.test(value) ? Number(value) : fallback;
  }
  return {
    beatIntervalMs: read(BEAT_INTERVAL_KEY, DEFAULT_BEAT_INTERVAL_MS),
    beatTimeoutMs: read(BEAT_TIMEOUT_KEY, DEFAULT_BEAT_TIMEOUT_MS),
    deleteTimeoutMs: read(DELETE_TIMEOUT_KEY, DEFAULT_DELETE_TIMEOUT_MS),
  };
}

/** Nacos 2.x refuses timings whose timeout or removal comes before the next beat; equal is fine. Returns its text or `null`. */
export function checkTimings(timings: Timings): string | null {
  const { beatIntervalMs, beatTimeoutMs, deleteTimeoutMs } = timings;
  if (beatTimeoutMs >= beatIntervalMs && deleteTimeoutMs >= beatIntervalMs) return null;
  return "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.";
}

/** Whether two leases run alike. */
export function sameTimings(a: Timings, b: Timings): boolean {
  return (
    a.beatIntervalMs === b.beatIntervalMs &&
    a.beatTimeoutMs === b.beatTimeoutMs &&
    a.deleteTimeoutMs === b.deleteTimeoutMs
  );
}

/** The interval that a beat answer tells for an instance, in milliseconds. */
export function toldIntervalMs(timings: Timings): number {
  return Math.max(MIN_TOLD_INTERVAL_MS, timings.beatIntervalMs);
}
