import { compareInstances, type Instance } from "./instance.ts";
import { isProtected } from "./protection.ts";
import type { ServiceState } from "./service.ts";

/** What a list asks for. */
export interface Selection {
  /** Exact names; empty means all. */
  readonly clusters: readonly string[];
  readonly healthyOnly: boolean;
}

/** What a list holds. */
export interface SelectedInstances {
  /** Sorted by cluster, ip and port. */
  readonly hosts: readonly Instance[];
  /** Whether protection is on: then all of `hosts` are to be shown as healthy. */
  readonly isProtected: boolean;
}

/** Splits the parameter `clusters` at its commas; empty names are passed over. */
export function parseClusters(clusters: string): string[] {
  return clusters === "" ? [] : clusters.split(",").filter((name) => name !== "");
}

/**
 * Selects the instances of a list (design, section 4): the enabled ones of the clusters asked for. Protection is counted
 * over them before `healthyOnly` is applied, and beats it.
 */
export function selectInstances(state: ServiceState, selection: Selection): SelectedInstances {
  const { clusters, healthyOnly } = selection;
  const asked: Instance[] = [];
  let healthy = 0;
  for (const instance of state.instances.values()) {
    if (!instance.effective.enabled) continue;
    if (clusters.length > 0 && !clusters.includes(instance.clusterName)) continue;
    asked.push(instance);
    if (instance.healthy) healthy++;
  }
  const protects = isProtected(healthy, asked.length, state.record.settings.protectThreshold);
  const hosts = healthyOnly && !protects ? asked.filter((instance) => instance.healthy) : asked;
  return { hosts: hosts.toSorted(compareInstances), isProtected: protects };
}

/** All instances, disabled ones too, in the order of lists. */
export function allInstances(state: ServiceState): Instance[] {
  return [...state.instances.values()].toSorted(compareInstances);
}
