import type { ClusterSettings } from "./cluster-settings.ts";
import { NO_METADATA, sameMetadata, type Metadata } from "./metadata.ts";
import type { Instance } from "./instance.ts";
import type { Override } from "./override.ts";
import { NO_SELECTOR, type Selector } from "./selector.ts";
import type { ServiceRef } from "./service-ref.ts";

/** A service without instances that nobody made by hand goes after this time (Nacos 2.x: 60 s, cleaned each minute). */
export const EMPTY_SERVICE_LIFETIME_MS = 60_000;
/** How long an override waits for an instance that expired (Nacos 2.x: 60 s). */
export const ORPHANED_OVERRIDE_LIFETIME_MS = 60_000;
/** How long a full beat cannot bring back what was explicitly deregistered (design, section 3). */
export const DEREGISTRATION_MARK_MS = 5_000;

/** What `/service` sets. */
export interface ServiceSettings {
  /** Healthy share at or below which all instances are returned; 0 or less: off. */
  readonly protectThreshold: number;
  readonly metadata: Metadata;
  readonly selector: Selector;
}

export const DEFAULT_SETTINGS: ServiceSettings = {
  protectThreshold: 0,
  metadata: NO_METADATA,
  selector: NO_SELECTOR,
};

/** All of a service but its instances: its one row. Outlives the service, so that its revision goes on when it returns. */
export interface ServiceRecord {
  readonly ref: ServiceRef;
  readonly exists: boolean;
  /** Made or edited by hand: stays when it is empty. */
  readonly isKept: boolean;
  readonly settings: ServiceSettings;
  /** Grows by at most one per change, and only when an answer would differ. */
  readonly revision: number;
  /** When the newest revision was made, in milliseconds; never goes back. */
  readonly lastRefTime: number;
  /** Since when there is no instance; `null` while there is one. */
  readonly emptySince: number | null;
  /** Since when the service is protected; `null` while it is not. */
  readonly protectedSince: number | null;
  /** Whether the catalogue has still to be told of a change. */
  readonly isCatalogueDue: boolean;
  /** The slot that the next new instance gets. */
  readonly nextSlot: number;
}

/** An override whose instance expired, waiting for it to come back. */
export interface OrphanedOverride {
  readonly override: Override;
  /** Until when, in milliseconds. */
  readonly expiresAt: number;
}

/** Instances by number; kept up to date with each change, so that no request has to count them. */
export interface InstanceCounts {
  readonly total: number;
  readonly healthy: number;
  readonly enabled: number;
  readonly healthyAndEnabled: number;
}

/**
 * A service in memory. Domain functions only read it; those named `apply…`, `renewLeases` and `refreshDue` write it,
 * and are called once the store has what they write.
 */
export interface ServiceState {
  record: ServiceRecord;
  /** By `instanceKey`. */
  readonly instances: Map<string, Instance>;
  /** The instances of all clusters with one ip and port, by `addressKey`. */
  readonly byAddress: Map<string, readonly Instance[]>;
  /** How many instances each cluster has. */
  readonly clusterSizes: Map<string, number>;
  counts: InstanceCounts;
  /** What was set by hand for a cluster, by its name; it may have no instance. */
  readonly clusterSettings: Map<string, ClusterSettings>;
  /** By `instanceKey`. */
  readonly orphanedOverrides: Map<string, OrphanedOverride>;
  /** When an instance was explicitly deregistered, by `instanceKey`. */
  readonly deregisteredAt: Map<string, number>;
  /** Seq of the newest event. */
  eventSeq: number;
  /** When the checkpoint of last beats was written; `-Infinity` for never. */
  checkpointAt: number;
  /** Whether beats came since the checkpoint was last known to be exact. See `lease-storage.ts`. */
  isBusy: boolean;
  /** The newest beat of the service. */
  lastBeatAt: number;
  /** A lower bound of the next thing due; `Infinity` when nothing is. Beats move duties later and leave it as it is. */
  nextDue: number;
}

export const NO_INSTANCES: InstanceCounts = { total: 0, healthy: 0, enabled: 0, healthyAndEnabled: 0 };

/** The record of a service that nobody has made yet. */
export function newRecord(ref: ServiceRef, now: number): ServiceRecord {
  return {
    ref,
    exists: false,
    isKept: false,
    settings: DEFAULT_SETTINGS,
    revision: 0,
    lastRefTime: now,
    emptySince: null,
    protectedSince: null,
    isCatalogueDue: false,
    nextSlot: 1,
  };
}

/** The state of a service that holds nothing. */
export function emptyState(record: ServiceRecord): ServiceState {
  return {
    record,
    instances: new Map(),
    byAddress: new Map(),
    clusterSizes: new Map(),
    counts: NO_INSTANCES,
    clusterSettings: new Map(),
    orphanedOverrides: new Map(),
    deregisteredAt: new Map(),
    eventSeq: 0,
    checkpointAt: Number.NEGATIVE_INFINITY,
    isBusy: false,
    lastBeatAt: Number.NEGATIVE_INFINITY,
    nextDue: Number.POSITIVE_INFINITY,
  };
}

/** The kind that a service holds: that of its instances, `null` while it has none (design, section 2). */
export function serviceKind(state: ServiceState): "ephemeral" | "persistent" | null {
  for (const instance of state.instances.values()) return instance.ephemeral ? "ephemeral" : "persistent";
  return null;
}

/** Whether two settings answer alike. */
export function sameSettings(a: ServiceSettings, b: ServiceSettings): boolean {
  return (
    a.protectThreshold === b.protectThreshold &&
    sameMetadata(a.metadata, b.metadata) &&
    sameSelector(a.selector, b.selector)
  );
}

function sameSelector(a: Selector, b: Selector): boolean {
  if (a.type === "none" || b.type === "none") return a.type === b.type;
  return a.expression === b.expression;
}
