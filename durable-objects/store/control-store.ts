import { hasSchema, migrate, type Migration } from "./migrations.ts";

const CONTROL_MIGRATIONS: readonly Migration[] = [
  {
    name: "namespaces in use",
    statements: [`CREATE TABLE namespace (namespace_id TEXT PRIMARY KEY) WITHOUT ROWID`],
  },
];

/** The ControlObject's rows in its SQLite database. */
export class SqlControlStore {
  readonly #storage: DurableObjectStorage;
  #isMigrated = false;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    if (hasSchema(storage.sql)) this.#migrate();
  }

  noteNamespace(namespaceId: string): void {
    this.#migrate();
    this.#storage.sql.exec("INSERT OR IGNORE INTO namespace VALUES (?)", namespaceId);
  }

  namespaces(): string[] {
    if (!this.#isMigrated) return [];
    const rows = this.#storage.sql
      .exec<{ namespace_id: string }>("SELECT namespace_id FROM namespace")
      .toArray();
    return rows.map((row) => row.namespace_id);
  }

  #migrate(): void {
    if (this.#isMigrated) return;
    migrate(this.#storage, CONTROL_MIGRATIONS);
    this.#isMigrated = true;
  }
}
