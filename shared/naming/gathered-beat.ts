import { findBeaten } from "./beat.ts";
import type { Instance } from "./instance.ts";
import type { ServiceState } from "./service.ts";
import { toldIntervalMs } from "./timings.ts";

/** A beat that came a while ago and was answered already (design, section 7). */
export interface GatheredBeat {
  readonly ip: string;
  readonly port: number;
  /** `null`: none was named. */
  readonly clusterName: string | null;
  /** How long ago it came, in milliseconds; an age, because clocks of two machines differ. */
  readonly ageMs: number;
}

/** What a worker may remember of a beat that did nothing but renew. */
export interface Renewal {
  /** When the client shall beat next, in milliseconds. */
  readonly beatIntervalMs: number;
  /** How long the instance stays healthy without another beat, in milliseconds. */
  readonly leaseMs: number;
}

/** Older than any batch waits: the age of a clock that jumped. */
export const MAX_GATHERED_AGE_MS = 3_000;

/** The renewal of instances that one beat feeds: the first one's interval, the shortest lease. */
export function renewalOf(beaten: readonly Instance[]): Renewal {
  let leaseMs = Number.POSITIVE_INFINITY;
  for (const { timings } of beaten) {
    leaseMs = Math.min(leaseMs, timings.beatTimeoutMs, timings.deleteTimeoutMs);
  }
  const [first] = beaten;
  return { beatIntervalMs: first === undefined ? 0 : toldIntervalMs(first.timings), leaseMs };
}

/**
 * The instances that a beat renews and does nothing else to; `null` when there is more to it (none is there, one is
 * unhealthy or persistent), so that it must be judged as a beat of its own.
 */
export function findRenewed(
  state: ServiceState,
  ip: string,
  port: number,
  clusterName: string | null,
): readonly Instance[] | null {
  const beaten = findBeaten(state, ip, port, clusterName);
  if (beaten.length === 0) return null;
  for (const { ephemeral, healthy } of beaten) if (!ephemeral || !healthy) return null;
  return beaten;
}

/** When a gathered beat came, by the clock of the object. */
export function arrivalOf(beat: GatheredBeat, now: number): number {
  return now - Math.min(Math.max(beat.ageMs, 0), MAX_GATHERED_AGE_MS);
}
