import { z } from "zod";

import { checkAddress, checkClusterName } from "../naming/names.ts";
import { parseMetadata, type MetadataEdit } from "../naming/metadata.ts";

import { parseHealthChecker, type HealthChecker } from "../naming/health-checker.ts";
import { parseSelector, type Selector } from "../naming/selector.ts";
import {
  checkedText,
  clip,
  lenientBooleanText,
  parseJavaDouble,
  portText,
  refuse,
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
  return z.codec(schema, z.custom<MetadataEdit>(), {
    decode: (text, context): MetadataEdit => {
      const parsed = parseMetadata(text);
      if (parsed.ok) return parsed.value;
      refuse(context, text, parsed.error.message, parsed.error.name);
      return z.NEVER;
    },
    encode: (metadata) => JSON.stringify(Object.fromEntries(metadata)),
  });
}

export const selectorText = z.codec(z.string(), z.custom<Selector>(), {
  decode: (text, context): Selector => {
    const parsed = parseSelector(text);
    if (parsed.ok) return parsed.value;
    refuse(context, text, parsed.error.message, parsed.error.name);
    return z.NEVER;
  },
  encode: (selector) => JSON.stringify(selector),
});

/** Any finite number, kept as it was sent; one below 0 acts as 0. */
export function thresholdText(schema: z.ZodString): z.ZodCodec<z.ZodString, z.ZodNumber> {
  return z.codec(schema, z.number(), {
    decode: (text, context) => {
      const value = parseJavaDouble(text);
      if (value !== null && Number.isFinite(value)) return value;
      refuse(
        context,
        text,
        `Param 'protectThreshold' is illegal, it should be a number. (current: ${clip(text)})`,
      );
      return z.NEVER;
    },
    encode: String,
  });
}

export const MAX_CLUSTERS_LENGTH = 4_096;
export const MAX_INSTANCES_LENGTH = 262_144;

export function atMost(name: string, limit: number): (value: string) => string | null {
  return (value) =>
    value.length <= limit
      ? null
      : `Param '${name}' is illegal, the param length should not exceed ${limit}. (current length: ${value.length})`;
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

export const checkerText = z.codec(requiredText(missing("healthChecker")), z.custom<HealthChecker>(), {
  decode: (text, context): HealthChecker => {
    const parsed = parseHealthChecker(text);
    if (parsed.ok) return parsed.value;
    refuse(context, text, parsed.error.message, parsed.error.name);
    return z.NEVER;
  },
  encode: (checker) => JSON.stringify(checker),
});

export const pageNo = requiredIntText("pageNo", "Parameter 'pageNo' is missing").meta({ example: "1" });
export const pageSize = requiredIntText("pageSize", "Parameter 'pageSize' is missing").meta({
  example: "10",
});
export const pattern = (name: string) =>
  checkedText(z.string(), atMost(name, MAX_EXPRESSION_LENGTH)).optional();
