import { compareAddresses, compareText } from "./address.ts";
import { sameMetadata, type Metadata } from "./metadata.ts";
import { overrideMetadata, sameOverride, type Override } from "./override.ts";
import type { ServiceRef } from "./service-ref.ts";
import { groupedName } from "./service-ref.ts";
import { checkTimings, readTimings, sameTimings, type Timings } from "./timings.ts";

export const DEFAULT_CLUSTER = "DEFAULT";
export const DEFAULT_WEIGHT = 1;
export const MAX_WEIGHT = 10_000;

/** Where an instance stands: its identity within a service is (cluster, ip, port), a rule of Nacos 1.x (design, section 2). */
export interface InstanceAddress {
  readonly clusterName: string;
  /** In the spelling of `canonicalAddress`. */
  readonly ip: string;
  readonly port: number;
}

/** An address as a request names it: with a cluster, or (`null`) by ip and port alone. */
export interface NamedAddress {
  readonly ip: string;
  readonly port: number;
  readonly clusterName: string | null;
}

/** What a registration replaces wholesale. */
export interface RegisteredValues {
  readonly weight: number;
  readonly enabled: boolean;
  readonly metadata: Metadata;
}

/** One entry of the instance table. Immutable but for its lease clock; a change makes a new one with {@link makeInstance}. */
export interface Instance extends InstanceAddress {
  /** Lives by beats, or (`false`) until it is deregistered. */
  readonly ephemeral: boolean;
  /** The number under which the checkpoint knows it; unique within the service, never used again. */
  readonly slot: number;
  readonly instanceId: string;
  /** The session that it lives by, as `ownerName` writes it; `null` when it lives by beats. */
  readonly session: string | null;
  readonly registered: RegisteredValues;
  readonly override: Override | null;
  /** By lease or probe; lists under protection show something else. */
  readonly healthy: boolean;
  /** The registered values under the override. */
  readonly effective: RegisteredValues;
  readonly timings: Timings;
  /** When the last registration or beat came, in milliseconds. The only field that changes in place: beats are the hot path. */
  lastBeat: number;
}

/** The fields that {@link makeInstance} does not derive. */
export type InstanceFields = Omit<Instance, "effective" | "timings" | "session"> & {
  /** Absent: it lives by beats. */
  readonly session?: string | null;
};

/** Builds an entry of the table and derives what is in force. */
export function makeInstance(fields: InstanceFields): Instance {
  const { registered, override } = fields;
  const metadata = overrideMetadata(registered.metadata, override?.metadata);
  return {
    clusterName: fields.clusterName,
    ip: fields.ip,
    port: fields.port,
    ephemeral: fields.ephemeral,
    slot: fields.slot,
    instanceId: fields.instanceId,
    session: fields.session ?? null,
    registered,
    override,
    healthy: fields.healthy,
    effective: {
      weight: override?.weight ?? registered.weight,
      enabled: override?.enabled ?? registered.enabled,
      metadata,
    },
    timings: timingsInForce(metadata, registered.metadata),
    lastBeat: fields.lastBeat,
  };
}

/**
 * The timings that an override and a registration make together. They may be out of order where neither alone is: then the
 * registered ones are in force, since an instance that is told to beat more rarely than it may be silent would never live.
 */
function timingsInForce(metadata: Metadata, registered: Metadata): Timings {
  const timings = readTimings(metadata, registered);
  return checkTimings(timings) === null ? timings : readTimings(registered);
}

/** The timings that an instance's metadata name, whether or not they are in order. */
export function wantedTimings(instance: Instance): Timings {
  return readTimings(instance.effective.metadata, instance.registered.metadata);
}

/** A copy with some fields changed. */
export function changeInstance(instance: Instance, changes: Partial<InstanceFields>): Instance {
  return makeInstance({ ...instance, ...changes });
}

/** Key of ip and port, whatever the cluster. */
export function addressKey(ip: string, port: number): string {
  return `${port}#${ip}`;
}

/** Key of an instance within its service; a cluster name and a port hold no `#`, so it is unambiguous. */
export function instanceKey(address: InstanceAddress): string {
  return `${address.clusterName}#${address.port}#${address.ip}`;
}

/** The `addressKey` in an `instanceKey`. */
export function addressOfKey(key: string): string {
  return key.slice(key.indexOf("#") + 1);
}

/** `ip#port#cluster#group@@service`, the id of the generator `simple` (Nacos 1.x and 2.x). */
export function simpleInstanceId(ref: ServiceRef, address: InstanceAddress): string {
  return `${address.ip}#${address.port}#${address.clusterName}#${groupedName(ref)}`;
}

/** Whether lists, detail and catalogue show the two alike; registered values that an override covers do not count. */
export function sameListed(a: Instance, b: Instance): boolean {
  return (
    a.healthy === b.healthy &&
    a.ephemeral === b.ephemeral &&
    a.instanceId === b.instanceId &&
    sameValues(a.effective, b.effective) &&
    sameTimings(a.timings, b.timings)
  );
}

/** Whether the two are the same to the last stored field, so that nothing need be written. */
export function sameInstance(a: Instance, b: Instance): boolean {
  return (
    sameListed(a, b) &&
    a.session === b.session &&
    sameValues(a.registered, b.registered) &&
    sameOverride(a.override, b.override)
  );
}

function sameValues(a: RegisteredValues, b: RegisteredValues): boolean {
  return a.weight === b.weight && a.enabled === b.enabled && sameMetadata(a.metadata, b.metadata);
}

/** Order of lists: cluster, ip (IPv4 by number, before all else by text), port by number (design, section 4). */
export function compareInstances(a: InstanceAddress, b: InstanceAddress): number {
  return compareText(a.clusterName, b.clusterName) || compareAddresses(a.ip, b.ip) || a.port - b.port;
}
