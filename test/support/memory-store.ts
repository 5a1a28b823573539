import type { Change } from "../../shared/naming/change.ts";
import type { ClusterSettings } from "../../shared/naming/cluster-settings.ts";
import { EVENT_LIFETIME_MS, MAX_EVENTS, type RegistryEvent } from "../../shared/naming/event.ts";
import { instanceKey, type Instance } from "../../shared/naming/instance.ts";
import type { Checkpoint } from "../../shared/naming/lease-storage.ts";
import type { OrphanedOverride, ServiceRecord } from "../../shared/naming/service.ts";
import type { EventQuery, ServiceStore, StoredService } from "../../shared/store.ts";

const TRIM_EVERY = 100;

interface Rows {
  record: ServiceRecord | null;
  readonly instances: Map<string, Instance>;
  readonly orphanedOverrides: Map<string, OrphanedOverride>;
  readonly clusterSettings: Map<string, ClusterSettings>;
  checkpoint: Checkpoint | null;
  /** Oldest first. */
  events: RegistryEvent[];
}

/** A service's rows in memory. Only copies go in and come out, so that nothing is shared with the service itself. */
export class MemoryServiceStore implements ServiceStore {
  readonly #rows: Rows = {
    record: null,
    instances: new Map(),
    orphanedOverrides: new Map(),
    clusterSettings: new Map(),
    checkpoint: null,
    events: [],
  };

  load(): StoredService | null {
    const { record, instances, orphanedOverrides, clusterSettings, checkpoint, events } = this.#rows;
    if (record === null) return null;
    return structuredClone({
      record,
      instances: [...instances.values()],
      orphanedOverrides,
      clusterSettings,
      checkpoint,
      eventSeq: events.at(-1)?.seq ?? 0,
    });
  }

  save(change: Change, checkpoint: Checkpoint | null): void {
    const rows = this.#rows;
    const newest = rows.events.at(-1)?.seq ?? 0;
    const clash = change.events.find(({ seq }) => seq <= newest);
    if (clash !== undefined) throw new Error(`Expected a seq above ${newest}, found ${clash.seq}`);
    const { record, put, removed, orphaned, clusters, events, now } = structuredClone(change);
    rows.record = record;
    for (const instance of put) rows.instances.set(instanceKey(instance), instance);
    for (const instance of removed) rows.instances.delete(instanceKey(instance));
    for (const [key, orphan] of orphaned) setOrDelete(rows.orphanedOverrides, key, orphan);
    for (const [name, settings] of clusters) setOrDelete(rows.clusterSettings, name, settings);
    if (checkpoint !== null) this.saveCheckpoint(checkpoint);
    rows.events.push(...events);
    this.#trim(newest, now);
  }

  saveCheckpoint(checkpoint: Checkpoint): void {
    this.#rows.checkpoint = structuredClone(checkpoint);
  }

  saveCatalogueTold(): void {
    const { record } = this.#rows;
    if (record !== null) this.#rows.record = { ...record, isCatalogueDue: false };
  }

  events(query: EventQuery): RegistryEvent[] {
    const { after, since = 0 } = query;
    const found = this.#rows.events.filter(
      (event) => event.seq > after && event.time >= since && isOf(event, query.address),
    );
    return structuredClone(found.toReversed().slice(0, query.limit));
  }

  #trim(before: number, now: number): void {
    const newest = this.#rows.events.at(-1)?.seq ?? 0;
    if (Math.floor(newest / TRIM_EVERY) === Math.floor(before / TRIM_EVERY)) return;
    const isKept = ({ seq, time }: RegistryEvent): boolean =>
      seq > newest - MAX_EVENTS && time >= now - EVENT_LIFETIME_MS;
    this.#rows.events = this.#rows.events.filter(isKept);
  }
}

function isOf(event: RegistryEvent, address: EventQuery["address"]): boolean {
  if (address === undefined) return true;
  if (event.address?.ip !== address.ip || event.address.port !== address.port) return false;
  return address.clusterName === null || event.address.clusterName === address.clusterName;
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}
