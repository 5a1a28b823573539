/** How session objects, their sessions and the tokens of these are named (design, section 7). */

/** One object holds the sessions of a namespace, a region and a shard. */
export interface SessionPlace {
  readonly namespaceId: string;
  readonly region: string;
  readonly shard: number;
}

/** The name of a session object; a namespace id holds no `#`. */
export function sessionObjectName({ namespaceId, region, shard }: SessionPlace): string {
  return `${namespaceId}##${region}##${shard}`;
}

/** The shard of a client: the same for the same id, evenly spread (FNV-1a). */
export function shardOf(clientId: string, shards: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < clientId.length; index++) {
    hash = Math.imul(hash ^ clientId.charCodeAt(index), 0x01_00_01_93) >>> 0;
  }
  return hash % shards;
}

/** Who an instance lives by: a session of a session object. */
export function ownerName(objectName: string, sessionId: string): string {
  return `${objectName}/${sessionId}`;
}

/** What a client shows to take up its session again. It tells where that session is, and proves that it was its own. */
export interface ResumeToken {
  readonly region: string;
  readonly shard: number;
  readonly sessionId: string;
  readonly secret: string;
}

export function writeResumeToken({ region, shard, sessionId, secret }: ResumeToken): string {
  return [region, shard, sessionId, secret].join(".");
}

const TOKEN = /^([a-z]{1,16})\.(\d{1,4})\.([0-9a-f-]{1,64})\.([0-9a-f-]{1,64})$/;

/** Reads a token; `null` for a text that is none. */
export function readResumeToken(token: string): ResumeToken | null {
  const match = TOKEN.exec(token);
  if (match === null) return null;
  const [, region = "", shard = "", sessionId = "", secret = ""] = match;
  return { region, shard: Number(shard), sessionId, secret };
}

/** The place of a session object, from its name. */
export function placeOf(objectName: string): SessionPlace {
  const [namespaceId = "", region = "", shard = ""] = objectName.split("##");
  return { namespaceId, region, shard: Number(shard) };
}
