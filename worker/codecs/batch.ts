import { NacosError, refuse } from "../../shared/errors.ts";
import { isJsonObject, parseJson } from "../../shared/json.ts";
import { canonicalAddress } from "../../shared/naming/address.ts";
import type { NamedAddress } from "../../shared/naming/instance.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";
import { BatchTargetSchema } from "../../shared/schemas/nacos-v1.ts";
import { parseSent } from "./decode.ts";
import { Parameters } from "./parameters.ts";
import { decodeServiceRef } from "./service-ref.ts";

const MAX_TARGETS = 1_000;

/** The instances that a batch edit names; none at all means every one. Refuses what is no array of addresses. */
export function decodeBatchTargets(text: string | undefined): NamedAddress[] {
  if (text === undefined) return [];
  const targets = parseJson(text);
  if (!Array.isArray(targets))
    return refuse(
      "parameterInvalid",
      "Param 'instances' is illegal, it should be a JSON array of {ip, port, clusterName}.",
    );
  if (targets.length > MAX_TARGETS)
    return refuse(
      "parameterInvalid",
      `Param 'instances' is illegal, at most ${MAX_TARGETS} are allowed. (${targets.length})`,
    );
  return targets.map(decodeTarget);
}

function decodeTarget(target: unknown): NamedAddress {
  if (!isJsonObject(target)) {
    return refuse(
      "parameterInvalid",
      "Param 'instances' is illegal, each should be an object {ip, port, clusterName}.",
    );
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
    return refuse("parameterInvalid", `Param 'instances' is illegal: ${error.message}`);
  }
}

/** The service of `statuses`, from `[namespaceId##]group@@service`; names are checked as parameters are. */
export function decodeStatusesKey(key: string): ServiceRef {
  const at = key.indexOf("##");
  const name = at < 0 ? key : key.slice(at + 2);
  if (!name.includes("@@")) {
    return refuse(
      "parameterInvalid",
      "Param 'serviceName' is illegal, it should be format as 'groupName@@serviceName'",
    );
  }
  const values = new Map([["serviceName", name]]);
  if (at > 0) values.set("namespaceId", key.slice(0, at));
  return decodeServiceRef(new Parameters(values));
}
