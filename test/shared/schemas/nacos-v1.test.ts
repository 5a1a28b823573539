import { test } from "vitest";
import type { z } from "zod";
import * as schemas from "../../../shared/schemas/nacos-v1.ts";
import { metadata } from "../../support/builders.ts";

type Sent = Record<string, string>;

const SERVICE = { serviceName: "orders" };
const AT = { ip: "10.0.0.1", port: "80" };
const READ_AT = { ip: "10.0.0.1", port: 80 };
const PAGE = { pageNo: "1", pageSize: "10" };
const CHECKER = { checkPort: "80", useInstancePort4Check: "true", healthChecker: '{"type":"TCP"}' };

function accepted(schema: z.ZodType, sent: Sent): unknown {
  const parsed = schema.safeParse(sent);
  return parsed.success ? parsed.data : parsed.error.issues;
}

const ROUTES: [string, z.ZodObject, Sent, object][] = [
  ["registration", schemas.RegisterInstanceSchema, AT, READ_AT],
  ["deregistration", schemas.DeregisterInstanceSchema, AT, READ_AT],
  ["PUT", schemas.ReplaceInstanceSchema, AT, READ_AT],
  ["PATCH", schemas.PatchInstanceSchema, AT, READ_AT],
  ["detail", schemas.InstanceDetailSchema, AT, READ_AT],
  ["why", schemas.ExplainInstanceSchema, AT, READ_AT],
  ["clearing", schemas.ClearOverrideSchema, AT, READ_AT],
  ["a list", schemas.ListInstancesSchema, {}, {}],
  ["a beat", schemas.BeatSchema, {}, {}],
  ["statuses", schemas.InstanceStatusesSchema, { key: "g@@s" }, { key: "g@@s" }],
  ["a batch", schemas.BatchMetadataSchema, { metadata: "a=1" }, { metadata: metadata({ a: "1" }) }],
  ["the making of a service", schemas.CreateServiceSchema, {}, {}],
  [
    "the editing of a service",
    schemas.UpdateServiceSchema,
    { protectThreshold: "0" },
    { protectThreshold: 0 },
  ],
  ["a service", schemas.NamedServiceSchema, {}, {}],
  ["a list of services", schemas.ListServicesSchema, PAGE, { pageNo: 1, pageSize: 10 }],
  ["names", schemas.ServiceNamesSchema, {}, {}],
  [
    "settings of a cluster",
    schemas.UpdateClusterSchema,
    CHECKER,
    { checkPort: 80, useInstancePort4Check: true, healthChecker: { type: "TCP" } },
  ],
  ["a cluster", schemas.NamedClusterSchema, { clusterName: "a" }, { clusterName: "a" }],
  ["health", schemas.SetHealthSchema, AT, READ_AT],
  ["the catalogue", schemas.CatalogueServicesSchema, PAGE, { pageNo: 1, pageSize: 10 }],
  [
    "the instances of a cluster",
    schemas.CatalogueInstancesSchema,
    { ...PAGE, clusterName: "a" },
    { pageNo: 1, pageSize: 10, clusterName: "a" },
  ],
  ["events", schemas.ServiceEventsSchema, {}, {}],
  ["metrics", schemas.MetricsSchema, {}, {}],
  ["a beat's JSON", schemas.BeatJsonSchema, {}, {}],
  ["an entry of a batch", schemas.BatchTargetSchema, AT, READ_AT],
];

test.for(ROUTES)(
  "W2: %s is read with no more than it needs, and what is unknown is passed over",
  (row, { expect }) => {
    const [, schema, sent, read] = row;
    expect(accepted(schema, sent)).toEqual(read);
    expect(accepted(schema, { ...sent, constructor: "x", udpPort2: "y" })).toEqual(read);
  },
);

test("N8, N9, N10, W7: a registration is read to values", ({ expect }) => {
  const sent = {
    ...SERVICE,
    namespaceId: "dev",
    groupName: "g",
    ip: "::1",
    port: "0",
    clusterName: "a",
    weight: "0.005",
    enabled: "ON",
    healthy: "1",
    ephemeral: "false",
    metadata: '{"__proto__":1.50,"gone":null}',
  };
  expect(accepted(schemas.RegisterInstanceSchema, sent)).toEqual({
    ...sent,
    port: 0,
    weight: 0.005,
    enabled: true,
    healthy: false,
    ephemeral: false,
    metadata: new Map([
      ["__proto__", "1.50"],
      ["gone", null],
    ]),
  });
});

test("N4: where no instance joins a cluster its name only filters", ({ expect }) => {
  const sent = { ...AT, clusterName: "a_b, c/d" };
  for (const schema of [
    schemas.DeregisterInstanceSchema,
    schemas.InstanceDetailSchema,
    schemas.ExplainInstanceSchema,
  ]) {
    expect(accepted(schema, sent)).toEqual({ ...sent, port: 80 });
  }
  const clusters = "x".repeat(4_096);
  expect(accepted(schemas.ListInstancesSchema, { clusters })).toEqual({ clusters });
});

test("E3: events are asked for after a seq, as many as are kept at most", ({ expect }) => {
  const sent = { after: "9007199254740991", limit: "1000" };
  expect(accepted(schemas.ServiceEventsSchema, sent)).toEqual({
    after: Number.MAX_SAFE_INTEGER,
    limit: 1_000,
  });
});
