import { z } from "zod";
import { fail, succeed } from "../errors.ts";
import { parseHealthChecker, type HealthChecker } from "../naming/health-checker.ts";
import { parseMetadata, type MetadataEdit } from "../naming/metadata.ts";
import { checkAddress, checkClusterName, tooLongText } from "../naming/names.ts";
import { parseSelector, type Selector } from "../naming/selector.ts";
import {
  checkedText,
  clip,
  lenientBooleanText,
  parsedText,
  parseJavaDouble,
  portText,
  requiredIntText,
  requiredText,
  weightText,
} from "./parameters.ts";

/** Building blocks of the parameters of `/v1/ns`: the fields that routes share, and their texts. */

/** How 2.x words a missing parameter that its controllers read by hand. */
export function missing(name: string): string {
  return `Param '${name}' is required.`;
}

export function metadataText(
  schema: z.ZodString,
): z.ZodCodec<z.ZodString, z.ZodCustom<MetadataEdit, MetadataEdit>> {
  return parsedText(schema, z.custom<MetadataEdit>(), parseMetadata, (metadata) =>
    JSON.stringify(Object.fromEntries(metadata)),
  );
}

export const selectorText = parsedText(z.string(), z.custom<Selector>(), parseSelector, JSON.stringify);

/** Any finite number, kept as it was sent; one below 0 acts as 0. */
export function thresholdText(schema: z.ZodString): z.ZodCodec<z.ZodString, z.ZodNumber> {
  return parsedText(schema, z.number(), (text) => {
    const value = parseJavaDouble(text);
    if (value !== null && Number.isFinite(value)) return succeed(value);
    return fail(
      "parameterInvalid",
      `Param 'protectThreshold' is illegal, it should be a number. (current: ${clip(text)})`,
    );
  });
}

export const MAX_CLUSTERS_LENGTH = 4_096;
export const MAX_INSTANCES_LENGTH = 262_144;

export function atMost(name: string, limit: number): (value: string) => string | null {
  return ({ length }) => (length <= limit ? null : tooLongText(name, limit, length));
}

/** How a service is named; shared by all routes. */
export const SERVICE_FIELDS = {
  namespaceId: z
    .string()
    .optional()
    .meta({ description: "Namespace, default `public`; need not exist", example: "public" }),
  groupName: z
    .string()
    .optional()
    .meta({ description: "Group, default `DEFAULT_GROUP`", example: "DEFAULT_GROUP" }),
  serviceName: z
    .string()
    .optional()
    .meta({ description: "Service, also as `group@@service`; required", example: "orders" }),
  dom: z.string().optional().meta({ description: "Old name of `serviceName` (Nacos 1.x)" }),
} as const;

export const ip = checkedText(requiredText(missing("ip")), checkAddress).meta({
  description: "IPv4, IPv6 or host name",
  example: "10.0.0.1",
});
export const port = portText(missing("port")).meta({ description: "0 to 65535", example: "8080" });
export const cluster = checkedText(z.string(), checkClusterName).optional();
export const clusterName = cluster.meta({ description: "Cluster, default `DEFAULT`", example: "DEFAULT" });
export const clusterAlias = cluster.meta({ description: "Read when `clusterName` is blank" });
export const anyCluster = checkedText(z.string(), atMost("clusterName", MAX_CLUSTERS_LENGTH)).optional();
export const weight = weightText.optional().meta({ description: "0 to 10000, default 1", example: "1.0" });
export const flag = lenientBooleanText.optional();
export const metadata = metadataText(z.string()).optional().meta({
  description: "JSON object or `k=v,k=v`; keys and values together at most 1024 characters",
  example: '{"version":"2"}',
});

export const MAX_EXPRESSION_LENGTH = 256;

export const checkerText = parsedText(
  requiredText(missing("healthChecker")),
  z.custom<HealthChecker>(),
  parseHealthChecker,
  JSON.stringify,
);

export const pageNo = requiredIntText("pageNo", "Parameter 'pageNo' is missing").meta({ example: "1" });
export const pageSize = requiredIntText("pageSize", "Parameter 'pageSize' is missing").meta({
  example: "10",
});
export const pattern = (name: string) =>
  checkedText(z.string(), atMost(name, MAX_EXPRESSION_LENGTH)).optional();
