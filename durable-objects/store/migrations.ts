/** A step of a schema, named so that a differing history is noticed. Append only: a step that was ever run never changes. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

const HISTORY = `CREATE TABLE IF NOT EXISTS migration (id INTEGER PRIMARY KEY, name TEXT NOT NULL)`;

/** Whether a schema was ever made here. Reads only: an object that is merely asked for must leave nothing behind. */
export function hasSchema(sql: SqlStorage): boolean {
  return (
    sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").toArray().length > 0
  );
}

/**
 * Brings the schema up to date, in one transaction. Throws when the steps that were run here are not the first ones of
 * `migrations`: then the data were written by other code.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly Migration[]): void {
  storage.transactionSync(() => {
    const { sql } = storage;
    sql.exec(HISTORY);
    const done = sql.exec<{ name: string }>("SELECT name FROM migration ORDER BY id").toArray();
    for (const [index, { name }] of done.entries()) {
      const expected = migrations[index]?.name;
      if (expected === name) continue;
      throw new Error(
        `Expected migration ${index + 1} of these data to be '${expected ?? "none"}', found '${name}'`,
      );
    }
    for (const [index, { name, statements }] of migrations.entries()) {
      if (index < done.length) continue;
      for (const statement of statements) sql.exec(statement);
      sql.exec("INSERT INTO migration (id, name) VALUES (?, ?)", index + 1, name);
    }
  });
}

/** The schema of one object's database: made by the first write, brought up to date when an object starts. */
export class Schema {
  readonly #storage: DurableObjectStorage;
  readonly #migrations: readonly Migration[];
  #isReady = false;

  constructor(storage: DurableObjectStorage, migrations: readonly Migration[]) {
    this.#storage = storage;
    this.#migrations = migrations;
    if (hasSchema(storage.sql)) this.ensure();
  }

  /** Whether anything was ever written here. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** To be called before a write. */
  ensure(): void {
    if (this.#isReady) return;
    migrate(this.#storage, this.#migrations);
    this.#isReady = true;
  }
}
