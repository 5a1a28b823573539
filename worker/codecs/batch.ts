import { NacosError } from "../../shared/errors.ts";
import { canonicalAddress } from "../../shared/naming/address.ts";
import type { NamedAddress } from "../../shared/naming/edit.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";
import { BatchTargetSchema } from "../../shared/schemas/nacos-v1.ts";
import { parseSent } from "./decode.ts";
import { Parameters } from "./parameters.ts";
import { decodeServiceRef } from "./service-ref.ts";

const MAX_TARGETS = 1_000;

function refuse(message: string): never {
  throw new NacosError({ name: "parameterInvalid", message });
}

/** The instances that a batch edit names; none at all means every one. Refuses what is no array of addresses. */
export function decodeBatchTargets(text: string | undefined): NamedAddress[] {
  if (text === undefined) return [];
  const targets = parseArray(text);
  if (targets.length > MAX_TARGETS)
    return refuse(`Param 'instances' is illegal, at most ${MAX_TARGETS} are allowed. (${targets.length})`);
  return targets.map(decodeTarget);
}

function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Said below, as for JSON that is no array.
  }
  return refuse("Param 'instances' is illegal, it should be a JSON array of {ip, port, clusterName}.");
}

function decodeTarget(target: unknown): NamedAddress {
  if (typeof target !== "object" || target === null || Array.isArray(target)) {
    return refuse("Param 'instances' is illegal, each should be an object {ip, port, clusterName}.");
  }
  const sent = Object.fromEntries(
    Object.entries(target)
      .filter(([, value]) => value !== null && value !== "")
      .map(([name, value]) => [name, typeof value === "number" ? String(value) : value]),
  );
  try {
    const { ip, port, clusterName } = parseSent(BatchTargetSchema, sent);
    return { ip: canonicalAddress(ip), port, clusterName: clusterName ?? null };
  } catch (error) {
    if (!(error instanceof NacosError)) throw error;
    return refuse(`Param 'instances' is illegal: ${error.message}`);
  }
}

/** The service of `statuses`, from `[namespaceId##]group@@service`; names are checked as parameters are. */
export function decodeStatusesKey(key: string): ServiceRef {
  const at = key.indexOf("##");
  const name = at < 0 ? key : key.slice(at + 2);
  if (!name.includes("@@")) {
    return refuse("Param 'serviceName' is illegal, it should be format as 'groupName@@serviceName'");
  }
  const values = new Map([["serviceName", name]]);
  if (at > 0) values.set("namespaceId", key.slice(0, at));
  return decodeServiceRef(new Parameters(values));
}
