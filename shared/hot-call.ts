/**
 * The two calls that make up nearly all traffic, beat and list, go from worker to object as `fetch`, not as RPC: the
 * object answers a list's final text, which passes through the worker as a stream, and a beat's interval. Measured on plain workerd, an RPC call costs
 * half as much again (0.30 to 0.37 of a constant worker's requests, against 0.45 to 0.55). Their arguments travel in the
 * URL of a request that nobody outside can send.
 */
import type { ServiceRef } from "./naming/service-ref.ts";

const ORIGIN = "http://service/";

/** A list by query, or a light beat by address. */
export type HotCall =
  | {
      readonly call: "list";
      readonly ref: ServiceRef;
      readonly clusters: string;
      readonly healthyOnly: boolean;
    }
  | {
      readonly call: "beat";
      readonly ref: ServiceRef;
      readonly ip: string;
      readonly port: number;
      readonly clusterName: string | null;
    };

/** Status of the object's answer to a beat that it did not take, so that the worker must ask by RPC. */
export const NOT_RENEWED_STATUS = 204;

/** Header of the object's answer to a beat that did nothing but renew: how long the lease is, in milliseconds. */
export const LEASE_HEADER = "lease";

/** The URL of a list call; equal calls have equal URLs, so the object can find its rendered text by it. */
export function listCallUrl(ref: ServiceRef, clusters: string, healthyOnly: boolean): string {
  const args = [ref.namespaceId, ref.groupName, ref.serviceName, clusters, healthyOnly];
  return `${ORIGIN}list?${encodeURIComponent(JSON.stringify(args))}`;
}

/** What a list that is waited for says in headers, so that its URL stays the key of its text. */
export interface ListWait {
  /** The revision that the client has. */
  readonly revision: number;
  /** How long it waits for a newer one, in milliseconds. */
  readonly millis: number;
}

const REVISION_HEADER = "revision";
const WAIT_HEADER = "wait";

/** The headers of a list call that waits. */
export function waitHeaders({ revision, millis }: ListWait): Record<string, string> {
  return { [REVISION_HEADER]: String(revision), [WAIT_HEADER]: String(millis) };
}

/** Reads the headers made by {@link waitHeaders}; `null` for a list that is not waited for. */
export function readWait(headers: { get(name: string): string | null }): ListWait | null {
  const millis = headers.get(WAIT_HEADER);
  return millis === null ? null : { revision: Number(headers.get(REVISION_HEADER)), millis: Number(millis) };
}

/** The URL of a beat call. */
export function beatCallUrl(ref: ServiceRef, ip: string, port: number, clusterName: string | null): string {
  const args = [ref.namespaceId, ref.groupName, ref.serviceName, ip, port, clusterName];
  return `${ORIGIN}beat?${encodeURIComponent(JSON.stringify(args))}`;
}

/** Reads a URL made by one of the functions above. */
export function readHotCall(url: string): HotCall {
  const at = url.indexOf("?");
  // Our own worker wrote it: a tuple of the types above.
  const args = JSON.parse(decodeURIComponent(url.slice(at + 1)));
  const ref = { namespaceId: args[0], groupName: args[1], serviceName: args[2] };
  if (url.startsWith("list", ORIGIN.length))
    return { call: "list", ref, clusters: args[3], healthyOnly: args[4] };
  return { call: "beat", ref, ip: args[3], port: args[4], clusterName: args[5] };
}
