import type { CatalogueEntry } from "../../shared/naming/catalogue.ts";
import type { NamespaceStore, NamespaceTotals, PageQuery } from "../../shared/store.ts";
import { Schema, type Migration } from "./migrations.ts";

const NAMESPACE_MIGRATIONS: readonly Migration[] = [
  {
    name: "catalogue",
    statements: [
      `CREATE TABLE service (
        group_name TEXT NOT NULL, service_name TEXT NOT NULL, namespace_id TEXT NOT NULL,
        cluster_count INTEGER NOT NULL, ip_count INTEGER NOT NULL, healthy_count INTEGER NOT NULL,
        trigger_flag INTEGER NOT NULL, revision INTEGER NOT NULL,
        PRIMARY KEY (group_name, service_name)
      ) WITHOUT ROWID`,
      `CREATE TABLE announcement (id INTEGER PRIMARY KEY CHECK (id = 1))`,
    ],
  },
];

type EntryRow = {
  group_name: string;
  service_name: string;
  namespace_id: string;
  cluster_count: number;
  ip_count: number;
  healthy_count: number;
  trigger_flag: number;
  revision: number;
};

function readEntry(row: EntryRow): CatalogueEntry {
  return {
    ref: { namespaceId: row.namespace_id, groupName: row.group_name, serviceName: row.service_name },
    clusterCount: row.cluster_count,
    ipCount: row.ip_count,
    healthyInstanceCount: row.healthy_count,
    triggerFlag: row.trigger_flag === 1,
    revision: row.revision,
  };
}

/** The condition for the rows of a group, or (`null`) of all, and what it binds. */
function inGroup(groupName: string | null): { readonly where: string; readonly values: readonly string[] } {
  return groupName === null
    ? { where: "", values: [] }
    : { where: " WHERE group_name = ?", values: [groupName] };
}

/** The catalogue's rows in the SQLite database of its object. The schema is made by the first write. */
export class SqlNamespaceStore implements NamespaceStore {
  readonly #sql: SqlStorage;
  readonly #schema: Schema;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#schema = new Schema(storage, NAMESPACE_MIGRATIONS);
  }

  put(entry: CatalogueEntry): void {
    this.#schema.ensure();
    this.#sql.exec(
      "INSERT OR REPLACE INTO service VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      entry.ref.groupName,
      entry.ref.serviceName,
      entry.ref.namespaceId,
      entry.clusterCount,
      entry.ipCount,
      entry.healthyInstanceCount,
      Number(entry.triggerFlag),
      entry.revision,
    );
  }

  remove(groupName: string, serviceName: string): void {
    if (!this.#schema.isReady) return;
    this.#sql.exec("DELETE FROM service WHERE group_name = ? AND service_name = ?", groupName, serviceName);
  }

  count(groupName: string | null): number {
    if (!this.#schema.isReady) return 0;
    const { where, values } = inGroup(groupName);
    return this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM service${where}`, ...values).one().n;
  }

  page(query: PageQuery): CatalogueEntry[] {
    if (!this.#schema.isReady) return [];
    const { groupName, offset, limit } = query;
    const { where, values } = inGroup(groupName);
    const statement = `SELECT * FROM service${where} ORDER BY group_name, service_name LIMIT ? OFFSET ?`;
    return this.#sql
      .exec<EntryRow>(statement, ...values, limit, offset)
      .toArray()
      .map(readEntry);
  }

  totals(): NamespaceTotals {
    if (!this.#schema.isReady) return { services: 0, instances: 0, healthyInstances: 0 };
    const statement = `SELECT COUNT(*) AS services, COALESCE(SUM(ip_count), 0) AS instances,
      COALESCE(SUM(healthy_count), 0) AS healthyInstances FROM service`;
    return this.#sql.exec<{ services: number; instances: number; healthyInstances: number }>(statement).one();
  }

  isAnnounced(): boolean {
    return this.#schema.isReady && this.#sql.exec("SELECT 1 FROM announcement").toArray().length > 0;
  }

  setAnnounced(): void {
    this.#schema.ensure();
    this.#sql.exec("INSERT OR REPLACE INTO announcement VALUES (1)");
  }
}
