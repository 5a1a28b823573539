import type { ClusterSettings } from "../../shared/naming/cluster-settings.ts";
import type { Change } from "../../shared/naming/change.ts";
import { EVENT_LIFETIME_MS, MAX_EVENTS, type RegistryEvent } from "../../shared/naming/event.ts";
import type { Instance } from "../../shared/naming/instance.ts";
import type { Checkpoint } from "../../shared/naming/lease-storage.ts";
import type { OrphanedOverride, ServiceRecord } from "../../shared/naming/service.ts";
import type {
  EventQuery,
  ServiceStore,
  StoredService,
  Subscriber,
  SubscriberStore,
} from "../../shared/store.ts";
import { Schema } from "./migrations.ts";
import { SERVICE_MIGRATIONS } from "./service-migrations.ts";
import {
  readCheckpoint,
  readClusterSettings,
  readEvent,
  readInstance,
  readOverride,
  readRecord,
  writeClusterSettings,
  writeLastBeats,
  writeMetadata,
  writeOverride,
  type CheckpointRow,
  type ClusterRow,
  type EventRow,
  type InstanceRow,
  type OrphanRow,
  type ServiceRow,
  type SubscriberRow,
} from "./service-rows.ts";

/** Old events are deleted this many at a time, so that most writes delete none. */
const TRIM_EVERY = 100;

/** A service's rows in the SQLite database of its object. The schema is made by the first write, not by the first look. */
export class SqlServiceStore implements ServiceStore, SubscriberStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #schema: Schema;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#schema = new Schema(storage, SERVICE_MIGRATIONS);
  }

  load(): StoredService | null {
    if (!this.#schema.isReady) return null;
    const [service] = this.#sql.exec<ServiceRow>("SELECT * FROM service WHERE id = 1").toArray();
    if (service === undefined) return null;
    const orphans = this.#sql.exec<OrphanRow>("SELECT * FROM orphaned_override").toArray();
    const clusters = this.#sql.exec<ClusterRow>("SELECT * FROM cluster").toArray();
    const [checkpoint] = this.#sql
      .exec<CheckpointRow>("SELECT at, is_exact, last_beats FROM checkpoint WHERE id = 1")
      .toArray();
    const [last] = this.#sql.exec<{ seq: number | null }>("SELECT MAX(seq) AS seq FROM event").toArray();
    return {
      record: readRecord(service),
      instances: this.#sql.exec<InstanceRow>("SELECT * FROM instance").toArray().map(readInstance),
      orphanedOverrides: new Map(
        orphans.map((row) => [
          row.instance_key,
          { override: readOverride(row.override), expiresAt: row.expires_at } satisfies OrphanedOverride,
        ]),
      ),
      clusterSettings: new Map(clusters.map((row) => [row.name, readClusterSettings(row.settings)])),
      checkpoint: checkpoint === undefined ? null : readCheckpoint(checkpoint),
      eventSeq: last?.seq ?? 0,
    };
  }

  save(change: Change, checkpoint: Checkpoint | null): void {
    this.#schema.ensure();
    this.#storage.transactionSync(() => {
      this.#putRecord(change.record);
      for (const instance of change.put) this.#putInstance(instance);
      for (const { clusterName, ip, port } of change.removed) {
        this.#sql.exec(
          "DELETE FROM instance WHERE cluster_name = ? AND ip = ? AND port = ?",
          clusterName,
          ip,
          port,
        );
      }
      for (const [key, orphan] of change.orphaned) this.#putOrphan(key, orphan);
      for (const [name, settings] of change.clusters) this.#putCluster(name, settings);
      if (checkpoint !== null) this.#putCheckpoint(checkpoint);
      this.#putEvents(change.events, change.now);
    });
  }

  saveCheckpoint(checkpoint: Checkpoint): void {
    this.#schema.ensure();
    this.#putCheckpoint(checkpoint);
  }

  subscribers(): Subscriber[] {
    if (!this.#schema.isReady) return [];
    return this.#sql
      .exec<SubscriberRow>("SELECT * FROM subscriber")
      .toArray()
      .map((row) => ({ session: row.session_name, clusters: row.clusters, revision: row.revision }));
  }

  saveSubscriber({ session, clusters, revision }: Subscriber): void {
    this.#schema.ensure();
    this.#sql.exec("INSERT OR REPLACE INTO subscriber VALUES (?, ?, ?)", session, clusters, revision);
  }

  removeSubscriber(session: string, clusters: string): void {
    if (!this.#schema.isReady) return;
    this.#sql.exec("DELETE FROM subscriber WHERE session_name = ? AND clusters = ?", session, clusters);
  }

  saveCatalogueTold(): void {
    this.#sql.exec("UPDATE service SET is_catalogue_due = 0 WHERE id = 1");
  }

  events(query: EventQuery): RegistryEvent[] {
    if (!this.#schema.isReady) return [];
    const { after, limit, address, since } = query;
    const [where, values] =
      address === undefined
        ? ["", []]
        : [
            " AND ip = ? AND port = ? AND cluster_name = COALESCE(?, cluster_name)",
            [address.ip, address.port, address.clusterName],
          ];
    const statement = `SELECT * FROM event WHERE seq > ? AND time >= ?${where} ORDER BY seq DESC LIMIT ?`;
    return this.#sql
      .exec<EventRow>(statement, after, since ?? 0, ...values, limit)
      .toArray()
      .map(readEvent);
  }

  #putRecord(record: ServiceRecord): void {
    const { ref, settings } = record;
    this.#sql.exec(
      `INSERT OR REPLACE INTO service VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ref.namespaceId,
      ref.groupName,
      ref.serviceName,
      Number(record.exists),
      Number(record.isKept),
      settings.protectThreshold,
      writeMetadata(settings.metadata),
      JSON.stringify(settings.selector),
      record.revision,
      record.lastRefTime,
      record.emptySince,
      record.protectedSince,
      Number(record.isCatalogueDue),
      record.nextSlot,
    );
  }

  #putInstance(instance: Instance): void {
    const { registered, override } = instance;
    this.#sql.exec(
      `INSERT OR REPLACE INTO instance VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      instance.clusterName,
      instance.ip,
      instance.port,
      instance.slot,
      Number(instance.ephemeral),
      instance.instanceId,
      registered.weight,
      Number(registered.enabled),
      writeMetadata(registered.metadata),
      override === null ? null : writeOverride(override),
      Number(instance.healthy),
      instance.lastBeat,
      instance.session,
    );
  }

  #putOrphan(key: string, orphan: OrphanedOverride | null): void {
    if (orphan === null) {
      this.#sql.exec("DELETE FROM orphaned_override WHERE instance_key = ?", key);
      return;
    }
    const { override, expiresAt } = orphan;
    this.#sql.exec(
      "INSERT OR REPLACE INTO orphaned_override VALUES (?, ?, ?)",
      key,
      writeOverride(override),
      expiresAt,
    );
  }

  #putCluster(name: string, settings: ClusterSettings | null): void {
    if (settings === null) this.#sql.exec("DELETE FROM cluster WHERE name = ?", name);
    else this.#sql.exec("INSERT OR REPLACE INTO cluster VALUES (?, ?)", name, writeClusterSettings(settings));
  }

  #putCheckpoint(checkpoint: Checkpoint): void {
    const { at, isExact } = checkpoint;
    this.#sql.exec(
      "INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?, ?)",
      at,
      Number(isExact),
      writeLastBeats(checkpoint),
    );
  }

  #putEvents(events: readonly RegistryEvent[], now: number): void {
    const kept = events.slice(-MAX_EVENTS);
    for (const { seq, time, type, address, cause, by } of kept) {
      this.#sql.exec(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        seq,
        time,
        type,
        address?.clusterName ?? null,
        address?.ip ?? null,
        address?.port ?? null,
        cause,
        by,
      );
    }
    const newest = kept.at(-1)?.seq ?? 0;
    const isTrimDue = Math.floor(newest / TRIM_EVERY) > Math.floor((newest - events.length) / TRIM_EVERY);
    if (!isTrimDue) return;
    this.#sql.exec(
      "DELETE FROM event WHERE seq <= ? OR time < ?",
      newest - MAX_EVENTS,
      now - EVENT_LIFETIME_MS,
    );
  }
}
