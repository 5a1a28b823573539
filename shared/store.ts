import type { CatalogueEntry } from "./naming/catalogue.ts";
import type { Change } from "./naming/change.ts";
import type { ClusterSettings } from "./naming/cluster-settings.ts";
import type { RegistryEvent } from "./naming/event.ts";
import type { Instance, NamedAddress } from "./naming/instance.ts";
import type { Checkpoint } from "./naming/lease-storage.ts";
import type { OrphanedOverride, ServiceRecord } from "./naming/service.ts";

/** All that is stored of a service. */
export interface StoredService {
  readonly record: ServiceRecord;
  /** `lastBeat` is the time of the instance's registration or last change. */
  readonly instances: readonly Instance[];
  readonly orphanedOverrides: ReadonlyMap<string, OrphanedOverride>;
  readonly clusterSettings: ReadonlyMap<string, ClusterSettings>;
  readonly checkpoint: Checkpoint | null;
  readonly eventSeq: number;
}

/** Which events are asked for; newest first. */
export interface EventQuery {
  /** Only events with a greater seq. */
  readonly after: number;
  readonly limit: number;
  /** Only events of this time or later, in milliseconds. */
  readonly since?: number;
  /** Only events of this ip and port, and (`clusterName` not `null`) of this cluster. */
  readonly address?: NamedAddress;
}

/** A list that a session object is told of. */
export interface Subscriber {
  /** The name of the session object. */
  readonly session: string;
  /** The clusters of the list, as they were asked for. */
  readonly clusters: string;
  /** The newest revision that the session object acknowledged. */
  readonly revision: number;
}

/** Where a service is kept. Synchronous, as SQLite in an object is; each call is one transaction, whole or not at all. */
export interface ServiceStore {
  /** What is stored, or `null` for a service that never was. Writes nothing. */
  load(): StoredService | null;
  /** Writes a change, and with it the checkpoint if there is one. */
  save(change: Change, checkpoint: Checkpoint | null): void;
  saveCheckpoint(checkpoint: Checkpoint): void;
  /** Notes that the catalogue has been told of all changes up to now. */
  saveCatalogueTold(): void;
  events(query: EventQuery): RegistryEvent[];
}

/** Where a service keeps whom it tells of changes. Synchronous; each call is one transaction. */
export interface SubscriberStore {
  /** All lists that session objects are told of. */
  subscribers(): Subscriber[];
  saveSubscriber(subscriber: Subscriber): void;
  removeSubscriber(session: string, clusters: string): void;
}

/** A page of a sorted list. */
export interface PageQuery {
  /** `null` means every group. */
  readonly groupName: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** Totals of a namespace. */
export interface NamespaceTotals {
  readonly services: number;
  readonly instances: number;
  readonly healthyInstances: number;
}

/** Where the catalogue of a namespace is kept. Synchronous; each call is one transaction. */
export interface NamespaceStore {
  put(entry: CatalogueEntry): void;
  remove(groupName: string, serviceName: string): void;
  /** How many services there are, in a group or in all. */
  count(groupName: string | null): number;
  /** Entries in ascending order of group and name, by code point. */
  page(query: PageQuery): CatalogueEntry[];
  totals(): NamespaceTotals;
}
