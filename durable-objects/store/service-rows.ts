import { EVENT_TYPES, type RegistryEvent } from "../../shared/naming/event.ts";
import { makeInstance, type Instance } from "../../shared/naming/instance.ts";
import type { ClusterSettings } from "../../shared/naming/cluster-settings.ts";
import type { Checkpoint } from "../../shared/naming/lease-storage.ts";
import { metadataFromObject, metadataToObject, type Metadata } from "../../shared/naming/metadata.ts";
import {
  overrideFromObject,
  overrideToObject,
  type Override,
  type OverrideObject,
} from "../../shared/naming/override.ts";
import type { ServiceRecord } from "../../shared/naming/service.ts";
import { assert } from "../../shared/errors.ts";

/** Rows as SQLite gives them; the casts from JSON stand here and nowhere else, since only this code writes the rows. */
export type ServiceRow = {
  namespace_id: string;
  group_name: string;
  service_name: string;
  is_present: number;
  is_kept: number;
  protect_threshold: number;
  metadata: string;
  selector: string;
  revision: number;
  last_ref_time: number;
  empty_since: number | null;
  protected_since: number | null;
  is_catalogue_due: number;
  next_slot: number;
};

export type InstanceRow = {
  cluster_name: string;
  ip: string;
  port: number;
  slot: number;
  ephemeral: number;
  instance_id: string;
  weight: number;
  enabled: number;
  metadata: string;
  override: string | null;
  healthy: number;
  last_beat: number;
  session: string | null;
};

export type OrphanRow = { instance_key: string; override: string; expires_at: number };
export type SubscriberRow = { session_name: string; clusters: string; revision: number };
export type ClusterRow = { name: string; settings: string };
export type CheckpointRow = { at: number; is_exact: number; last_beats: ArrayBuffer };
export type EventRow = {
  seq: number;
  time: number;
  type: string;
  cluster_name: string | null;
  ip: string | null;
  port: number | null;
  cause: string;
  origin: string;
};

export function writeMetadata(metadata: Metadata): string {
  return JSON.stringify(metadataToObject(metadata));
}

export function readMetadata(text: string): Metadata {
  const value: Record<string, string> = JSON.parse(text);
  return metadataFromObject(value);
}

export function writeOverride(override: Override): string {
  return JSON.stringify(overrideToObject(override));
}

export function readOverride(text: string): Override {
  const value: OverrideObject = JSON.parse(text);
  return overrideFromObject(value);
}

export function writeClusterSettings(settings: ClusterSettings): string {
  return JSON.stringify({ ...settings, metadata: metadataToObject(settings.metadata) });
}

export function readClusterSettings(text: string): ClusterSettings {
  const json: Omit<ClusterSettings, "metadata"> & { metadata: Record<string, string> } = JSON.parse(text);
  return { ...json, metadata: metadataFromObject(json.metadata) };
}

export function readRecord(row: ServiceRow): ServiceRecord {
  return {
    ref: { namespaceId: row.namespace_id, groupName: row.group_name, serviceName: row.service_name },
    exists: row.is_present === 1,
    isKept: row.is_kept === 1,
    settings: {
      protectThreshold: row.protect_threshold,
      metadata: readMetadata(row.metadata),
      selector: JSON.parse(row.selector),
    },
    revision: row.revision,
    lastRefTime: row.last_ref_time,
    emptySince: row.empty_since,
    protectedSince: row.protected_since,
    isCatalogueDue: row.is_catalogue_due === 1,
    nextSlot: row.next_slot,
  };
}

export function readInstance(row: InstanceRow): Instance {
  return makeInstance({
    clusterName: row.cluster_name,
    ip: row.ip,
    port: row.port,
    slot: row.slot,
    ephemeral: row.ephemeral === 1,
    instanceId: row.instance_id,
    registered: { weight: row.weight, enabled: row.enabled === 1, metadata: readMetadata(row.metadata) },
    override: row.override === null ? null : readOverride(row.override),
    healthy: row.healthy === 1,
    lastBeat: row.last_beat,
    session: row.session,
  });
}

export function readEvent(row: EventRow): RegistryEvent {
  const type = EVENT_TYPES.find((known) => known === row.type);
  assert(type !== undefined, `Expected a known event type, found '${row.type}'`);
  const { cluster_name: clusterName, ip, port } = row;
  const address = clusterName === null || ip === null || port === null ? null : { clusterName, ip, port };
  return { seq: row.seq, time: row.time, type, address, cause: row.cause, by: row.origin };
}

/** Two 32-bit numbers an instance: its slot, and how many milliseconds before the checkpoint its last beat came. */
const WORDS_PER_INSTANCE = 2;
const MAX_AGE_MS = 2 ** 32 - 1;

export function writeLastBeats(checkpoint: Checkpoint): ArrayBuffer {
  const words = new Uint32Array(checkpoint.lastBeats.size * WORDS_PER_INSTANCE);
  let at = 0;
  for (const [slot, lastBeat] of checkpoint.lastBeats) {
    words[at++] = slot;
    words[at++] = Math.min(MAX_AGE_MS, Math.max(0, checkpoint.at - lastBeat));
  }
  return words.buffer;
}

export function readCheckpoint(row: CheckpointRow): Checkpoint {
  const words = new Uint32Array(row.last_beats);
  const lastBeats = new Map<number, number>();
  for (let at = 0; at + 1 < words.length; at += WORDS_PER_INSTANCE) {
    lastBeats.set(words[at] ?? 0, row.at - (words[at + 1] ?? 0));
  }
  return { at: row.at, isExact: row.is_exact === 1, lastBeats };
}
