import { test } from "vitest";
import type { z } from "zod";
import * as schemas from "../../../shared/schemas/nacos-v1.ts";

type Sent = Record<string, string>;

const AT = { ip: "10.0.0.1", port: "80" };
const PAGE = { pageNo: "1", pageSize: "10" };
const CHECKER = { checkPort: "80", useInstancePort4Check: "true", healthChecker: '{"type":"TCP"}' };

function accepted(schema: z.ZodType, sent: Sent): unknown {
  const parsed = schema.safeParse(sent);
  return parsed.success ? parsed.data : parsed.error.issues;
}

/** The text of the first refusal, and the name that it carries. */
function refused(schema: z.ZodType, sent: Sent): unknown {
  const [issue] = schema.safeParse(sent).error?.issues ?? [];
  return issue && [issue.message, issue.code === "custom" ? issue.params?.["name"] : undefined];
}

const MISSING: [string, z.ZodObject, Sent, string, string][] = [
  ...Object.entries({
    RegisterInstanceSchema: schemas.RegisterInstanceSchema,
    DeregisterInstanceSchema: schemas.DeregisterInstanceSchema,
    ReplaceInstanceSchema: schemas.ReplaceInstanceSchema,
    PatchInstanceSchema: schemas.PatchInstanceSchema,
    InstanceDetailSchema: schemas.InstanceDetailSchema,
    SetHealthSchema: schemas.SetHealthSchema,
    BatchTargetSchema: schemas.BatchTargetSchema,
  }).flatMap(([name, schema]): [string, z.ZodObject, Sent, string, string][] =>
    ["ip", "port"].map((field) => [name, schema, AT, field, `Param '${field}' is required.`]),
  ),
  ["statuses", schemas.InstanceStatusesSchema, { key: "k" }, "key", "Parameter 'key' is missing"],
  ["a batch", schemas.BatchMetadataSchema, { metadata: "{}" }, "metadata", "Param 'metadata' is required."],
  [
    "the editing of a service",
    schemas.UpdateServiceSchema,
    { protectThreshold: "0" },
    "protectThreshold",
    "Param 'protectThreshold' is required.",
  ],
  ["a list of services", schemas.ListServicesSchema, PAGE, "pageNo", "Param 'pageNo' is required."],
  ["a list of services", schemas.ListServicesSchema, PAGE, "pageSize", "Param 'pageSize' is required."],
  ["the catalogue", schemas.CatalogueServicesSchema, PAGE, "pageNo", "Parameter 'pageNo' is missing"],
  ["the catalogue", schemas.CatalogueServicesSchema, PAGE, "pageSize", "Parameter 'pageSize' is missing"],
  ...Object.keys(CHECKER).map((name): [string, z.ZodObject, Sent, string, string] => [
    "settings of a cluster",
    schemas.UpdateClusterSchema,
    CHECKER,
    name,
    `Param '${name}' is required.`,
  ]),
];

test.for(MISSING)(
  "W10: %s without a parameter that it needs is refused in Nacos's words: %#",
  (row, { expect }) => {
    const [, schema, sent, name, message] = row;
    const { [name]: _missing, ...rest } = sent;
    expect(accepted(schema, sent)).not.toBeInstanceOf(Array);
    expect(refused(schema, rest)).toEqual([message, undefined]);
  },
);

const LONG = "x".repeat(4_097);
const REFUSED: [string, z.ZodObject, Sent, string, string][] = [
  [
    "N4: a cluster that an instance joins",
    schemas.RegisterInstanceSchema,
    { ...AT, clusterName: "a b" },
    `Param 'cluster' is illegal, illegal characters should not appear in the param. (" " at position 2; allowed: letters, digits and -)`,
    "parameterInvalid",
  ],
  [
    "N4: its older name",
    schemas.RegisterInstanceSchema,
    { ...AT, cluster: "a_b" },
    "Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: a_b)",
    "parameterInvalid",
  ],
  [
    "N5: an address",
    schemas.DeregisterInstanceSchema,
    { ...AT, ip: "10.0.0 1" },
    `Param 'ip' is illegal, illegal characters should not appear in the param. (" " at position 7; allowed: an IPv4 or IPv6 address or a host name, without white space)`,
    "parameterInvalid",
  ],
  [
    "N9: a weight",
    schemas.PatchInstanceSchema,
    { ...AT, weight: "10001" },
    "instance format invalid: The weights range from 0.0 to 10000.0",
    "weightInvalid",
  ],
  [
    "N10: metadata",
    schemas.ReplaceInstanceSchema,
    { ...AT, metadata: "{" },
    "metadata format incorrect:{",
    "metadataInvalid",
  ],
  [
    "N13: a selector",
    schemas.CreateServiceSchema,
    { selector: '{"type":"zone"}' },
    "not match any type of selector!",
    "selectorInvalid",
  ],
  [
    "C2: a checker",
    schemas.UpdateClusterSchema,
    { ...CHECKER, healthChecker: "TCP" },
    "Param 'healthChecker' is illegal, it should be a JSON object of at most 4096 characters.",
    "parameterInvalid",
  ],
  [
    "W10: a list of clusters that is too long",
    schemas.ListInstancesSchema,
    { clusters: LONG },
    "Param 'clusters' is illegal, the param length should not exceed 4096. (current length: 4097)",
    "parameterInvalid",
  ],
  [
    "S8: an expression that is too long",
    schemas.ServiceNamesSchema,
    { expr: "x".repeat(257) },
    "Param 'expr' is illegal, the param length should not exceed 256. (current length: 257)",
    "parameterInvalid",
  ],
  [
    "E3: a limit past the events that are kept",
    schemas.ServiceEventsSchema,
    { limit: "1001" },
    "Param 'limit' is illegal, it should be a whole number from 1 to 1000. (current: 1001)",
    "parameterInvalid",
  ],
];

test.for(REFUSED)("%s is refused by the text of its rule", ([, schema, sent, message, name], { expect }) => {
  expect(refused(schema, sent)).toEqual([message, name]);
});

test("O10: a field of an override is named as it is", ({ expect }) => {
  for (const field of ["weight", "enabled", "metadata"]) {
    expect(accepted(schemas.ClearOverrideSchema, { ...AT, field })).toEqual({ ...AT, port: 80, field });
  }
  for (const field of ["Weight", "healthy", "__proto__"]) {
    expect(refused(schemas.ClearOverrideSchema, { ...AT, field })).toEqual([
      `Param 'field' is illegal, allowed: weight, enabled, metadata. (current: ${field})`,
      undefined,
    ]);
  }
});

test.for([
  ["0", 0],
  ["0.5", 0.5],
  ["1", 1],
  [".5", 0.5],
  ["-1", -1],
  ["7", 7],
] as const)("S2: the threshold '%s'", ([text, protectThreshold], { expect }) => {
  const sent = { protectThreshold: text };
  expect(accepted(schemas.CreateServiceSchema, sent)).toEqual({ protectThreshold });
  expect(accepted(schemas.UpdateServiceSchema, sent)).toEqual({ protectThreshold });
});

test.for(["NaN", "Infinity", "1e999", "half", "0,5"])("S2, W10: '%s' is no threshold", (text, { expect }) => {
  const message = `Param 'protectThreshold' is illegal, it should be a number. (current: ${text})`;
  for (const schema of [schemas.CreateServiceSchema, schemas.UpdateServiceSchema]) {
    expect(refused(schema, { protectThreshold: text })).toEqual([message, "parameterInvalid"]);
  }
});
