import type { Migration } from "./migrations.ts";

/** Schema of a ServiceObject. WITHOUT ROWID and no secondary index, so that a written row is billed as one. */
export const SERVICE_MIGRATIONS: readonly Migration[] = [
  {
    name: "instance table",
    statements: [
      `CREATE TABLE service (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        namespace_id TEXT NOT NULL, group_name TEXT NOT NULL, service_name TEXT NOT NULL,
        is_present INTEGER NOT NULL, is_kept INTEGER NOT NULL,
        protect_threshold REAL NOT NULL, metadata TEXT NOT NULL, selector TEXT NOT NULL,
        revision INTEGER NOT NULL, last_ref_time INTEGER NOT NULL,
        empty_since INTEGER, protected_since INTEGER,
        is_catalogue_due INTEGER NOT NULL, next_slot INTEGER NOT NULL
      )`,
      `CREATE TABLE instance (
        cluster_name TEXT NOT NULL, ip TEXT NOT NULL, port INTEGER NOT NULL,
        slot INTEGER NOT NULL, ephemeral INTEGER NOT NULL, instance_id TEXT NOT NULL,
        weight REAL NOT NULL, enabled INTEGER NOT NULL, metadata TEXT NOT NULL, override TEXT,
        healthy INTEGER NOT NULL, last_beat INTEGER NOT NULL,
        PRIMARY KEY (cluster_name, ip, port)
      ) WITHOUT ROWID`,
      `CREATE TABLE orphaned_override (
        instance_key TEXT PRIMARY KEY, override TEXT NOT NULL, expires_at INTEGER NOT NULL
      ) WITHOUT ROWID`,
      `CREATE TABLE cluster (name TEXT PRIMARY KEY, settings TEXT NOT NULL) WITHOUT ROWID`,
      `CREATE TABLE checkpoint (
        id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, is_exact INTEGER NOT NULL, last_beats BLOB NOT NULL
      )`,
      `CREATE TABLE event (
        seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, type TEXT NOT NULL,
        cluster_name TEXT, ip TEXT, port INTEGER, cause TEXT NOT NULL, origin TEXT NOT NULL
      )`,
    ],
  },
  {
    name: "sessions",
    statements: [
      `ALTER TABLE instance ADD COLUMN session TEXT`,
      `CREATE TABLE subscriber (
        session_name TEXT NOT NULL, clusters TEXT NOT NULL, revision INTEGER NOT NULL,
        PRIMARY KEY (session_name, clusters)
      ) WITHOUT ROWID`,
    ],
  },
];
