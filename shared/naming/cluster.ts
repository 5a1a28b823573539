import { fail, succeed, type Result } from "../errors.ts";
import { compareText } from "./address.ts";
import { DEFAULT_CLUSTER_SETTINGS, type ClusterSettings } from "./cluster-settings.ts";
import { finishChange, newDraft, note, type Change } from "./change.ts";
import { findInstance } from "./edit.ts";
import { changeInstance, DEFAULT_CLUSTER, instanceKey, type NamedAddress } from "./instance.ts";
import type { Origin } from "./registration.ts";
import type { ServiceState } from "./service.ts";
import { groupedName } from "./service-ref.ts";

/** A named part of a service's instances. */
export interface Cluster extends ClusterSettings {
  readonly name: string;
}

/** The clusters that have instances, by name (Nacos 2.x lists only those); settings of others wait for their first one. */
export function listClusters(state: ServiceState): Cluster[] {
  return [...state.clusterSizes.keys()]
    .toSorted(compareText)
    .map((name) => ({ name, ...(state.clusterSettings.get(name) ?? DEFAULT_CLUSTER_SETTINGS) }));
}

/**
 * Plans a full replacement of a cluster's settings; from then on the service stays when it is empty. The cluster need not
 * have an instance. Refuses with `serviceNotFound` in the words of 2.x.
 */
export function planClusterUpdate(
  state: ServiceState,
  name: string,
  settings: ClusterSettings,
  now: number,
  origin: Origin,
): Result<Change | null> {
  if (!state.record.exists)
    return fail("serviceNotFound", `service not found:${groupedName(state.record.ref)}`);
  const draft = newDraft();
  draft.clusters.set(name, settings);
  draft.record = { isKept: true };
  note(
    draft,
    "service-edited",
    null,
    `${origin.cause}: cluster ${name}, ${settings.healthChecker.type}`,
    origin.by,
  );
  return succeed(finishChange(state, draft, now));
}

/**
 * Plans a setting of health by hand: for a persistent instance of a cluster whose checker is NONE. For an instance that is
 * not there it is `ok`. Refuses with `healthChecked` in the words of 2.x.
 */
export function planHealth(
  state: ServiceState,
  address: NamedAddress,
  healthy: boolean,
  now: number,
  origin: Origin,
): Result<Change | null> {
  const clusterName = address.clusterName ?? DEFAULT_CLUSTER;
  const found = findInstance(state, { ...address, clusterName });
  const isChecked = state.clusterSettings.get(clusterName)?.healthChecker.type !== "NONE";
  if (isChecked || (found.ok && found.value.ephemeral)) {
    const service = groupedName(state.record.ref);
    return fail(
      "healthChecked",
      `health check is still working, service: ${service}, cluster: ${clusterName}`,
    );
  }
  if (!found.ok || found.value.healthy === healthy) return succeed(null);
  const draft = newDraft();
  draft.put.set(instanceKey(found.value), changeInstance(found.value, { healthy }));
  note(draft, healthy ? "healthy" : "unhealthy", found.value, origin.cause, origin.by);
  return succeed(finishChange(state, draft, now));
}
