import type { z } from "zod";
import type { Cluster } from "../../shared/naming/cluster.ts";
import { DEFAULT_CLUSTER_SETTINGS, type ClusterSettings } from "../../shared/naming/cluster-settings.ts";
import { publicChecker } from "../../shared/naming/health-checker.ts";
import type { UpdateClusterSchema } from "../../shared/schemas/nacos-v1.ts";
import type { ServiceView } from "../../durable-objects/service-object.ts";
import {
  metadataToObject,
  NO_METADATA,
  withoutNulls,
  type MetadataEdit,
} from "../../shared/naming/metadata.ts";
import { NO_SELECTOR, type Selector } from "../../shared/naming/selector.ts";
import { DEFAULT_SETTINGS, type ServiceSettings } from "../../shared/naming/service.ts";
import { groupedName, type ServiceRef } from "../../shared/naming/service-ref.ts";

/** The settings that POST or PUT means; what is left out has its default. */
export function decodeSettings(input: {
  readonly protectThreshold?: number | undefined;
  readonly metadata?: MetadataEdit | undefined;
  readonly selector?: Selector | undefined;
}): ServiceSettings {
  return {
    protectThreshold: input.protectThreshold ?? DEFAULT_SETTINGS.protectThreshold,
    metadata: withoutNulls(input.metadata ?? NO_METADATA),
    selector: input.selector ?? NO_SELECTOR,
  };
}

/** A service as `GET /service` shows it (Nacos 2.x). */
export function encodeService(ref: ServiceRef, service: ServiceView): Record<string, unknown> {
  const { protectThreshold, metadata, selector } = service.settings;
  return {
    namespaceId: ref.namespaceId,
    groupName: ref.groupName,
    name: ref.serviceName,
    protectThreshold,
    metadata: metadataToObject(metadata),
    selector: encodeSelector(selector),
    clusters: service.clusters.map(encodeCluster),
  };
}

function encodeSelector(selector: Selector): Record<string, unknown> {
  return { ...selector, contextType: selector.type === "none" ? "NONE" : "CMDB" };
}

function encodeCluster(cluster: Cluster): Record<string, unknown> {
  const { name, healthChecker, metadata } = cluster;
  return { name, healthChecker: publicChecker(healthChecker), metadata: metadataToObject(metadata) };
}

/** The settings that `PUT /cluster` means. */
export function decodeClusterSettings(input: z.output<typeof UpdateClusterSchema>): ClusterSettings {
  return {
    healthChecker: input.healthChecker,
    checkPort: input.checkPort,
    usesInstancePort: input.useInstancePort4Check,
    metadata: withoutNulls(input.metadata ?? NO_METADATA),
  };
}

/** A service with its clusters as `GET /catalog/service` shows it (Nacos 2.x). */
export function encodeCatalogueService(ref: ServiceRef, view: ServiceView): Record<string, unknown> {
  const { protectThreshold, metadata, selector } = view.settings;
  return {
    service: {
      name: ref.serviceName,
      groupName: ref.groupName,
      protectThreshold,
      selector: encodeSelector(selector),
      metadata: metadataToObject(metadata),
    },
    clusters: view.clusters.map((cluster) => ({
      serviceName: groupedName(ref),
      ...encodeCluster(cluster),
      defaultPort: DEFAULT_CLUSTER_SETTINGS.checkPort,
      defaultCheckPort: cluster.checkPort,
      useIPPort4Check: cluster.usesInstancePort,
    })),
  };
}
