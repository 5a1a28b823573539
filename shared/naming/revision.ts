import type { ServiceRecord } from "./service.ts";

/** The record one revision on. `lastRefTime` follows the clock but never goes back, whatever the clock does. */
export function nextRevision(record: ServiceRecord, now: number): ServiceRecord {
  return { ...record, revision: record.revision + 1, lastRefTime: Math.max(record.lastRefTime, now) };
}

/** The checksum of a list: equal checksums of one service mean equal lists (design, section 5). */
export function checksum(revision: number, clusters: string, healthyOnly: boolean): string {
  const filter = (clusters === "" ? "" : `#${clusters}`) + (healthyOnly ? "#healthyOnly" : "");
  return `${revision}${filter}`;
}
