import type { ServiceView } from "../../durable-objects/service-object.ts";
import type { CatalogueEntry } from "../../shared/naming/catalogue.ts";
import type { Instance } from "../../shared/naming/instance.ts";
import { metadataToObject } from "../../shared/naming/metadata.ts";
import { DEFAULT_SETTINGS } from "../../shared/naming/service.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";

/** A row of `GET /catalog/services`; `triggerFlag` is a text, as Nacos's is. */
export function encodeCatalogueEntry(entry: CatalogueEntry): Record<string, unknown> {
  return {
    name: entry.ref.serviceName,
    groupName: entry.ref.groupName,
    clusterCount: entry.clusterCount,
    ipCount: entry.ipCount,
    healthyInstanceCount: entry.healthyInstanceCount,
    triggerFlag: String(entry.triggerFlag),
  };
}

/** A row with `withInstances=true`, in the shape of 2.x. */
export function encodeServiceWithInstances(
  ref: ServiceRef,
  view: ServiceView | null,
  instances: readonly Instance[],
): Record<string, unknown> {
  const settings = view?.settings ?? DEFAULT_SETTINGS;
  const clusters = [...Map.groupBy(instances, ({ clusterName }) => clusterName)];
  const clusterMap = clusters.map(([name, members]) => [
    name,
    { clusterName: null, healthChecker: null, metadata: null, hosts: members.map(encodeHost) },
  ]);
  return {
    namespace: null,
    serviceName: ref.serviceName,
    groupName: ref.groupName,
    clusterMap: Object.fromEntries(clusterMap),
    metadata: metadataToObject(settings.metadata),
    protectThreshold: settings.protectThreshold,
    selector: null,
    ephemeral: null,
  };
}

function encodeHost({ ip, port, healthy, effective }: Instance): Record<string, unknown> {
  const { weight, enabled } = effective;
  return { valid: healthy, metadata: metadataToObject(effective.metadata), port, ip, weight, enabled };
}

/** A page of a list; page 0 is page 1, and what fits in one page is returned whatever the page (Nacos, observed). */
export function pageOf<T>(all: readonly T[], pageNo: number, pageSize: number): readonly T[] {
  if (all.length < pageSize) return all;
  const offset = (Math.max(1, pageNo) - 1) * pageSize;
  return all.slice(offset, offset + Math.max(0, pageSize));
}
