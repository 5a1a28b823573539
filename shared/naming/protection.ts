import type { InstanceCounts } from "./service.ts";

/** How long protection holds up the removal of expired instances (design, section 4; switch `protectHoldMillis`). */
export const PROTECT_HOLD_MS = 30 * 60_000;

/**
 * Whether so few are healthy that all are returned: `threshold > 0` and `healthy / total <= threshold` (Nacos compares
 * with `<=` too, but protects at threshold 0). Nothing to protect where there is nothing.
 */
export function isProtected(healthy: number, total: number, threshold: number): boolean {
  return threshold > 0 && total > 0 && healthy / total <= threshold;
}

/** Whether a service as a whole is protected: counted over all its enabled instances. */
export function isServiceProtected(counts: InstanceCounts, threshold: number): boolean {
  return isProtected(counts.healthyAndEnabled, counts.enabled, threshold);
}

/** Whether removals are still held up, given since when the service is protected. */
export function holdsRemovals(protectedSince: number | null, now: number): boolean {
  return protectedSince !== null && now < protectedSince + PROTECT_HOLD_MS;
}
