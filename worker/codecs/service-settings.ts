import type { ServiceView } from "../../durable-objects/service-object.ts";
import {
  metadataToObject,
  NO_METADATA,
  withoutNulls,
  type MetadataEdit,
} from "../../shared/naming/metadata.ts";
import { NO_SELECTOR, type Selector } from "../../shared/naming/selector.ts";
import { DEFAULT_SETTINGS, type ServiceSettings } from "../../shared/naming/service.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";

/** The settings that POST or PUT means; what is left out has its default. */
export function decodeSettings(input: {
  readonly protectThreshold?: number | undefined;
  readonly metadata?: MetadataEdit | undefined;
  readonly selector?: Selector | undefined;
}): ServiceSettings {
  return {
    protectThreshold: input.protectThreshold ?? DEFAULT_SETTINGS.protectThreshold,
    metadata: input.metadata === undefined ? NO_METADATA : withoutNulls(input.metadata),
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
    clusters: service.clusters,
  };
}

function encodeSelector(selector: Selector): Record<string, unknown> {
  return { ...selector, contextType: selector.type === "none" ? "NONE" : "CMDB" };
}
