import { compareText } from "./address.ts";
import type { ServiceState } from "./service.ts";

/** How the persistent instances of a cluster are probed. TCP on the instance's port where nothing was set (Nacos). */
export interface HealthChecker {
  readonly type: "TCP";
}

/** A named part of a service's instances, as detail shows it. */
export interface Cluster {
  readonly name: string;
  readonly healthChecker: HealthChecker;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The clusters that have instances, by name (Nacos 2.x lists only those). */
export function listClusters(state: ServiceState): Cluster[] {
  return [...state.clusterSizes.keys()]
    .toSorted(compareText)
    .map((name) => ({ name, healthChecker: { type: "TCP" }, metadata: {} }));
}
