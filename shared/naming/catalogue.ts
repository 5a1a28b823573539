import { isServiceProtected } from "./protection.ts";
import type { ServiceState } from "./service.ts";
import type { ServiceRef } from "./service-ref.ts";

/** How often at most a service tells the catalogue of its changes, in milliseconds (design, section 7). */
export const CATALOGUE_PERIOD_MS = 5_000;

/** A service's row in the catalogue of its namespace. Counts take in disabled instances. */
export interface CatalogueEntry {
  readonly ref: ServiceRef;
  readonly clusterCount: number;
  readonly ipCount: number;
  readonly healthyInstanceCount: number;
  /** Whether the service as a whole is protected. */
  readonly triggerFlag: boolean;
  readonly revision: number;
}

/** The row of a service as it is now; `null` when it does not exist. */
export function catalogueEntry(state: ServiceState): CatalogueEntry | null {
  const { record, counts, clusterSizes } = state;
  if (!record.exists) return null;
  return {
    ref: record.ref,
    clusterCount: clusterSizes.size,
    ipCount: counts.total,
    healthyInstanceCount: counts.healthy,
    triggerFlag: isServiceProtected(counts, record.settings.protectThreshold),
    revision: record.revision,
  };
}

/** Notes in memory that the catalogue has been told of all changes up to now; stored by the caller before. */
export function applyCatalogueTold(state: ServiceState): void {
  state.record = { ...state.record, isCatalogueDue: false };
}
