import type { ServiceRef } from "../../shared/naming/service-ref.ts";
import type { Publication } from "../../shared/push/publication.ts";
import type { PushMode } from "../../shared/schemas/push.ts";
import { Schema, type Migration } from "./migrations.ts";

const SESSION_MIGRATIONS: readonly Migration[] = [
  {
    name: "sessions",
    statements: [
      `CREATE TABLE object (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL)`,
      `CREATE TABLE session (
        session_id TEXT PRIMARY KEY, secret TEXT NOT NULL, caller TEXT NOT NULL, phase TEXT NOT NULL, since INTEGER NOT NULL
      ) WITHOUT ROWID`,
      `CREATE TABLE subscription (
        session_id TEXT NOT NULL, group_name TEXT NOT NULL, service_name TEXT NOT NULL, clusters TEXT NOT NULL,
        mode TEXT NOT NULL, PRIMARY KEY (session_id, group_name, service_name, clusters)
      ) WITHOUT ROWID`,
      `CREATE TABLE publication (
        session_id TEXT NOT NULL, group_name TEXT NOT NULL, service_name TEXT NOT NULL,
        cluster_name TEXT NOT NULL, ip TEXT NOT NULL, port INTEGER NOT NULL, instance TEXT NOT NULL,
        PRIMARY KEY (session_id, group_name, service_name, cluster_name, ip, port)
      ) WITHOUT ROWID`,
    ],
  },
];

/**
 * Where a session stands: its socket is `open`; it is `lost` (dropped by the registry, awaited); `marked`, since it did
 * not come back in time; or `ending`, until all services were told.
 */
export type Phase = "open" | "lost" | "marked" | "ending";

export interface StoredSession {
  readonly sessionId: string;
  /** Proves that a resume token is its own. */
  readonly secret: string;
  /** Address and User-Agent of the client. */
  readonly caller: string;
  readonly phase: Phase;
  /** Since when it is in that phase, in milliseconds. */
  readonly since: number;
}

export type NamedService = Pick<ServiceRef, "groupName" | "serviceName">;

export interface StoredSubscription extends NamedService {
  readonly sessionId: string;
  readonly clusters: string;
  readonly mode: PushMode;
}

/** Whose a publication is. */
interface PublicationOwner extends NamedService {
  readonly sessionId: string;
}

type PublicationAddress = Pick<Publication, "clusterName" | "ip" | "port">;

export interface StoredPublication extends PublicationOwner {
  readonly publication: Publication;
}

type SessionRow = { session_id: string; secret: string; caller: string; phase: Phase; since: number };
type SubscriptionRow = {
  session_id: string;
  group_name: string;
  service_name: string;
  clusters: string;
  mode: PushMode;
};
type PublicationRow = { session_id: string; group_name: string; service_name: string; instance: string };

/** The rows of a session object. The schema is made by the first write. */
export class SqlSessionStore {
  readonly #sql: SqlStorage;
  readonly #schema: Schema;
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#schema = new Schema(storage, SESSION_MIGRATIONS);
  }

  /** The name of the object: an alarm does not tell it. `null` for one that never had a session. */
  objectName(): string | null {
    if (!this.#schema.isReady) return null;
    return this.#sql.exec<{ name: string }>("SELECT name FROM object").toArray()[0]?.name ?? null;
  }

  /** Stores a new session, and with the first one the name of the object. */
  addSession(objectName: string, session: StoredSession): void {
    this.#schema.ensure();
    this.#storage.transactionSync(() => {
      this.#sql.exec("INSERT OR IGNORE INTO object VALUES (1, ?)", objectName);
      const { sessionId, secret, caller, phase, since } = session;
      this.#sql.exec("INSERT INTO session VALUES (?, ?, ?, ?, ?)", sessionId, secret, caller, phase, since);
    });
  }

  setPhase(sessionId: string, phase: Phase, since: number): void {
    this.#sql.exec("UPDATE session SET phase = ?, since = ? WHERE session_id = ?", phase, since, sessionId);
  }

  sessions(): StoredSession[] {
    if (!this.#schema.isReady) return [];
    return this.#sql
      .exec<SessionRow>("SELECT * FROM session")
      .toArray()
      .map(({ session_id, ...row }) => ({ sessionId: session_id, ...row }));
  }

  /** Deletes a session with all that is stored of it. */
  removeSession(sessionId: string): void {
    this.#storage.transactionSync(() => {
      for (const table of ["publication", "subscription", "session"]) {
        this.#sql.exec(`DELETE FROM ${table} WHERE session_id = ?`, sessionId);
      }
    });
  }

  subscriptions(): StoredSubscription[] {
    if (!this.#schema.isReady) return [];
    return this.#sql
      .exec<SubscriptionRow>("SELECT * FROM subscription")
      .toArray()
      .map((row) => ({
        sessionId: row.session_id,
        groupName: row.group_name,
        serviceName: row.service_name,
        clusters: row.clusters,
        mode: row.mode,
      }));
  }

  putSubscription(subscription: StoredSubscription): void {
    const { sessionId, groupName, serviceName, clusters, mode } = subscription;
    this.#sql.exec(
      "INSERT OR REPLACE INTO subscription VALUES (?, ?, ?, ?, ?)",
      sessionId,
      groupName,
      serviceName,
      clusters,
      mode,
    );
  }

  removeSubscription({ sessionId, groupName, serviceName, clusters }: StoredSubscription): void {
    this.#sql.exec(
      "DELETE FROM subscription WHERE session_id = ? AND group_name = ? AND service_name = ? AND clusters = ?",
      sessionId,
      groupName,
      serviceName,
      clusters,
    );
  }

  countPublications(sessionId: string): number {
    if (!this.#schema.isReady) return 0;
    const statement = "SELECT COUNT(*) AS count FROM publication WHERE session_id = ?";
    return this.#sql.exec<{ count: number }>(statement, sessionId).one().count;
  }

  /** One publication; `undefined` when the session has none there. */
  publication(
    { sessionId, groupName, serviceName }: PublicationOwner,
    { clusterName, ip, port }: PublicationAddress,
  ): Publication | undefined {
    const [row] = this.#sql
      .exec<{ instance: string }>(
        `SELECT instance FROM publication WHERE ${ONE_PUBLICATION}`,
        sessionId,
        groupName,
        serviceName,
        clusterName,
        ip,
        port,
      )
      .toArray();
    return row && readPublication(row.instance);
  }

  publications(sessionId: string): StoredPublication[] {
    if (!this.#schema.isReady) return [];
    return this.#sql
      .exec<PublicationRow>("SELECT * FROM publication WHERE session_id = ?", sessionId)
      .toArray()
      .map((row) => ({
        sessionId: row.session_id,
        groupName: row.group_name,
        serviceName: row.service_name,
        publication: readPublication(row.instance),
      }));
  }

  putPublication({ sessionId, groupName, serviceName, publication }: StoredPublication): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO publication VALUES (?, ?, ?, ?, ?, ?, ?)",
      sessionId,
      groupName,
      serviceName,
      publication.clusterName,
      publication.ip,
      publication.port,
      JSON.stringify(publication),
    );
  }

  removePublication(
    { sessionId, groupName, serviceName }: PublicationOwner,
    { clusterName, ip, port }: PublicationAddress,
  ): void {
    this.#sql.exec(
      `DELETE FROM publication WHERE ${ONE_PUBLICATION}`,
      sessionId,
      groupName,
      serviceName,
      clusterName,
      ip,
      port,
    );
  }
}

const ONE_PUBLICATION = `session_id = ? AND group_name = ? AND service_name = ?
  AND cluster_name = ? AND ip = ? AND port = ?`;

function readPublication(text: string): Publication {
  return JSON.parse(text); // Only this file writes them.
}
