import { refuse } from "../../shared/errors.ts";
import { isJsonObject, parseJsonObject } from "../../shared/json.ts";
import { canonicalAddress } from "../../shared/naming/address.ts";
import type { Beat } from "../../shared/naming/beat.ts";
import { MAX_STORED_METADATA_LENGTH, metadataLength, type Metadata } from "../../shared/naming/metadata.ts";
import { REGISTRATION_DEFAULTS } from "../../shared/naming/registration.ts";
import { BeatJsonSchema } from "../../shared/schemas/nacos-v1.ts";
import { parseSent } from "./decode.ts";

/** What the parameters of a beat say beside its JSON. */
interface BeatParameters {
  readonly ip?: string | undefined;
  readonly port?: number | undefined;
  readonly clusterName?: string | undefined;
  readonly beat?: string | undefined;
}

/**
 * Reads a beat: a light one by its parameters, a full one by its JSON, whose ip, port and cluster win over the parameters.
 * The service is never read from the JSON (2.x's fault: hand-written beats went to a service that was not there).
 */
export function decodeBeat(input: BeatParameters): Beat {
  const light = { ip: input.ip ?? "", port: input.port ?? 0, clusterName: input.clusterName ?? null };
  if (input.beat === undefined) return { ...light, ip: canonicalAddress(light.ip), registration: null };
  const json = parseJsonObject(input.beat, keepNumberText);
  if (json === null)
    return refuse("parameterInvalid", "Param 'beat' is illegal, it should be a JSON object.");
  const { ip, port, cluster, weight } = parseSent(BeatJsonSchema, textFields(json));
  const address = ip ?? light.ip;
  if (address === "") return refuse("parameterMissing", "Param 'ip' is required.");
  return {
    ip: canonicalAddress(address),
    port: port ?? light.port,
    clusterName: cluster ?? light.clusterName,
    registration: {
      ...REGISTRATION_DEFAULTS,
      weight: weight ?? REGISTRATION_DEFAULTS.weight,
      metadata: readMetadata(json["metadata"]),
    },
  };
}

/** Numbers become their source text, so that `1.50` in metadata stays `1.50`. */
function keepNumberText(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}

/** The fields that are checked as parameters are; `null` and blank ones count as absent. */
function textFields(json: Readonly<Record<string, unknown>>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of Object.keys(BeatJsonSchema.shape)) {
    const value = json[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string")
      return refuse(
        "parameterInvalid",
        `Param 'beat' is illegal, its field '${name}' should be a text or a number.`,
      );
    const trimmed = value.trim();
    if (trimmed !== "") fields[name] = trimmed;
  }
  return fields;
}

function readMetadata(value: unknown): Metadata {
  const metadata = new Map<string, string>();
  if (value === undefined || value === null) return metadata;
  if (!isJsonObject(value))
    return refuse("parameterInvalid", "Param 'beat' is illegal, its metadata should be an object.");
  for (const [key, entry] of Object.entries(value)) {
    if (entry === null) continue;
    if (typeof entry !== "string" && typeof entry !== "boolean") {
      return refuse("parameterInvalid", `Param 'beat' is illegal, its metadata '${key}' should be a text.`);
    }
    // Half a surrogate pair would come back from storage as something else.
    metadata.set(key.toWellFormed(), String(entry).toWellFormed());
  }
  const length = metadataLength(metadata);
  if (length > MAX_STORED_METADATA_LENGTH) {
    return refuse(
      "parameterInvalid",
      `Param 'beat' is illegal, its metadata should not exceed ${MAX_STORED_METADATA_LENGTH} characters. (${length})`,
    );
  }
  return metadata;
}
