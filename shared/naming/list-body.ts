import { ID_GENERATOR_KEY } from "./instance-id.ts";
import type { Instance } from "./instance.ts";
import { metadataToObject } from "./metadata.ts";
import { checksum } from "./revision.ts";
import { parseClusters, selectInstances } from "./selection.ts";
import type { ServiceState } from "./service.ts";
import { groupedName, type ServiceRef } from "./service-ref.ts";

/** How long clients keep a list, in milliseconds: their poll interval (Nacos 2.x tells all clients 10 s). */
export const LIST_CACHE_MS = 10_000;

/** A list as it is asked for; `clusters` is echoed byte for byte, since clients find their cache by it. */
export interface ListQuery {
  readonly clusters: string;
  readonly healthyOnly: boolean;
}

/** A host as lists and catalogue show it: the fields of Nacos 2.x, and `valid` and `marked` of 1.x. */
export function hostView(ref: ServiceRef, instance: Instance, healthy: boolean): Record<string, unknown> {
  const { effective, timings } = instance;
  const generator = effective.metadata.size === 0 ? "simple" : effective.metadata.get(ID_GENERATOR_KEY);
  return {
    instanceId: instance.instanceId,
    ip: instance.ip,
    port: instance.port,
    weight: effective.weight,
    healthy,
    enabled: effective.enabled,
    ephemeral: instance.ephemeral,
    clusterName: instance.clusterName,
    serviceName: groupedName(ref),
    metadata: metadataToObject(effective.metadata),
    instanceHeartBeatInterval: timings.beatIntervalMs,
    instanceHeartBeatTimeOut: timings.beatTimeoutMs,
    ipDeleteTimeout: timings.deleteTimeoutMs,
    ...(generator === undefined ? {} : { instanceIdGenerator: generator }),
    valid: healthy,
    marked: false,
  };
}

/** Rendered hosts by instance: an entry of the table never changes, so its text does not either. */
const renderedHosts = new WeakMap<Instance, string>();

function renderHost(ref: ServiceRef, instance: Instance, healthy: boolean): string {
  if (healthy !== instance.healthy) return JSON.stringify(hostView(ref, instance, healthy));
  const known = renderedHosts.get(instance);
  if (known !== undefined) return known;
  const text = JSON.stringify(hostView(ref, instance, healthy));
  renderedHosts.set(instance, text);
  return text;
}

/**
 * Renders the body of `/instance/list`, the same text over HTTP and in pushes: the fields of Nacos 2.x, those that only
 * 1.x clients read, and our `revision`. It depends on nothing but the revision and the query.
 */
export function renderListBody(state: ServiceState, query: ListQuery): string {
  const { ref, revision, lastRefTime, settings } = state.record;
  const selection = { clusters: parseClusters(query.clusters), healthyOnly: query.healthyOnly };
  const { hosts, isProtected } = selectInstances(state, selection);
  const name = groupedName(ref);
  const head = JSON.stringify({
    name,
    groupName: ref.groupName,
    clusters: query.clusters,
    cacheMillis: LIST_CACHE_MS,
  });
  const tail = JSON.stringify({
    lastRefTime,
    checksum: checksum(revision, query.clusters, query.healthyOnly),
    allIPs: false,
    reachProtectionThreshold: isProtected,
    valid: true,
    revision,
    dom: name,
    useSpecifiedURL: false,
    env: "",
    metadata: metadataToObject(settings.metadata),
  });
  const rendered = hosts.map((instance) => renderHost(ref, instance, isProtected || instance.healthy));
  return `${head.slice(0, -1)},"hosts":[${rendered.join(",")}],${tail.slice(1)}`;
}
