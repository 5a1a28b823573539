import { Schema, type Migration } from "./migrations.ts";

const CONTROL_MIGRATIONS: readonly Migration[] = [
  {
    name: "namespaces in use",
    statements: [`CREATE TABLE namespace (namespace_id TEXT PRIMARY KEY) WITHOUT ROWID`],
  },
];

/** The ControlObject's rows in its SQLite database. */
export class SqlControlStore {
  readonly #sql: SqlStorage;
  readonly #schema: Schema;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#schema = new Schema(storage, CONTROL_MIGRATIONS);
  }

  noteNamespace(namespaceId: string): void {
    this.#schema.ensure();
    this.#sql.exec("INSERT OR IGNORE INTO namespace VALUES (?)", namespaceId);
  }

  namespaces(): string[] {
    if (!this.#schema.isReady) return [];
    const rows = this.#sql.exec<{ namespace_id: string }>("SELECT namespace_id FROM namespace").toArray();
    return rows.map((row) => row.namespace_id);
  }
}
