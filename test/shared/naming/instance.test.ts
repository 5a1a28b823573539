import { test } from "vitest";
import {
  addressKey,
  changeInstance,
  compareInstances,
  instanceKey,
  makeInstance,
  sameInstance,
  sameListed,
  type Instance,
  type InstanceFields,
} from "../../../shared/naming/instance.ts";
import { metadata } from "../../support/builders.ts";

const NONE = metadata<string>({});

function instance(fields: Partial<InstanceFields> = {}): Instance {
  return makeInstance({
    clusterName: "DEFAULT",
    ip: "10.0.0.1",
    port: 80,
    ephemeral: true,
    slot: 1,
    instanceId: "id",
    registered: { weight: 1, enabled: true, metadata: NONE },
    override: null,
    healthy: true,
    lastBeat: 0,
    ...fields,
  });
}

test("O1: what is in force is the override where there is one, else what was registered", ({ expect }) => {
  const registered = { weight: 2, enabled: true, metadata: metadata({ a: "1" }) };
  expect(instance({ registered }).effective).toEqual(registered);
  const hidden = new Set(["a"]);
  const override = {
    weight: 0,
    enabled: false,
    metadata: { mode: "merge", values: metadata({ b: "2" }), hidden },
  } as const;
  expect(instance({ registered, override }).effective).toEqual({
    weight: 0,
    enabled: false,
    metadata: metadata({ b: "2" }),
  });
});

test("O5: timings follow the metadata in force, and the registered ones behind them", ({ expect }) => {
  const registered = {
    weight: 1,
    enabled: true,
    metadata: metadata({ "preserved.heart.beat.timeout": "3000", "preserved.heart.beat.interval": "1000" }),
  };
  const values = metadata({ "preserved.heart.beat.timeout": "4000" });
  const override = { metadata: { mode: "replace", values } } as const;
  expect(instance({ registered, override }).timings).toEqual({
    beatIntervalMs: 1_000,
    beatTimeoutMs: 4_000,
    deleteTimeoutMs: 30_000,
  });
});

test("O1: a change derives anew what is in force, and leaves the old entry as it was", ({ expect }) => {
  const old = instance();
  const before = structuredClone(old);
  const changed = changeInstance(old, { override: { weight: 5 }, healthy: false });
  expect(changed).toEqual({
    ...before,
    override: { weight: 5 },
    healthy: false,
    effective: { ...before.effective, weight: 5 },
  });
  expect(old).toEqual(before);
});

test("I1: keys tell cluster, ip and port apart", ({ expect }) => {
  const addresses = [
    { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 },
    { clusterName: "DEFAULT", ip: "10.0.0.1", port: 8 },
    { clusterName: "DEFAULT", ip: "010.0.0.1", port: 8 },
    { clusterName: "a", ip: "10.0.0.1", port: 80 },
    { clusterName: "A", ip: "10.0.0.1", port: 80 },
    { clusterName: "a", ip: "80#10.0.0.1", port: 1 },
    { clusterName: "a", ip: "#", port: 80 },
    { clusterName: "__proto__", ip: "__proto__", port: 0 },
  ];
  expect(new Set(addresses.map(instanceKey)).size).toBe(addresses.length);
  expect(new Set(addresses.map(({ ip, port }) => addressKey(ip, port))).size).toBe(addresses.length - 2);
});

const LISTED: [string, Partial<InstanceFields>][] = [
  ["health", { healthy: false }],
  ["kind", { ephemeral: false }],
  ["id", { instanceId: "other" }],
  ["weight", { registered: { weight: 0.005, enabled: true, metadata: NONE } }],
  ["enabled", { registered: { weight: 1, enabled: false, metadata: NONE } }],
  ["metadata", { registered: { weight: 1, enabled: true, metadata: metadata({ a: "" }) } }],
  ["an override", { override: { weight: 2 } }],
];

test.for(LISTED)("V1: %s is listed", ([, fields], { expect }) => {
  expect([sameListed(instance(), instance(fields)), sameInstance(instance(), instance(fields))]).toEqual([
    false,
    false,
  ]);
});

const STORED: [string, Partial<InstanceFields>][] = [
  ["an override that sets what was registered", { override: { weight: 1 } }],
  ["an override of no key", { override: { metadata: { mode: "merge", values: NONE, hidden: new Set() } } }],
];

test.for(STORED)("V1: %s is stored, but not listed", ([, fields], { expect }) => {
  expect([sameListed(instance(), instance(fields)), sameInstance(instance(), instance(fields))]).toEqual([
    true,
    false,
  ]);
});

test("V1: registered values under an override are stored, but not listed", ({ expect }) => {
  const override = { weight: 5 };
  const registered = { weight: 2, enabled: true, metadata: NONE };
  const [a, b] = [instance({ override }), instance({ override, registered })];
  expect([sameListed(a, b), sameInstance(a, b)]).toEqual([true, false]);
});

test("I3: clock and slot are neither", ({ expect }) => {
  const [a, b] = [instance(), instance({ lastBeat: 5, slot: 9 })];
  expect([sameListed(a, b), sameInstance(a, b)]).toEqual([true, true]);
});

test("P8: instances go by cluster, then ip, then port by number", ({ expect }) => {
  const sorted = [
    ["A", "9.0.0.1", 1],
    ["DEFAULT", "2.0.0.1", 8_080],
    ["DEFAULT", "10.0.0.1", 9],
    ["DEFAULT", "10.0.0.1", 80],
    ["DEFAULT", "10.0.0.1", 443],
    ["DEFAULT", "::1", 0],
    ["DEFAULT", "orders.internal", 0],
    ["a", "1.0.0.1", 80],
    ["b", "1.0.0.1", 80],
  ].map(([clusterName, ip, port]) => ({
    clusterName: String(clusterName),
    ip: String(ip),
    port: Number(port),
  }));
  expect(sorted.toReversed().toSorted(compareInstances)).toEqual(sorted);
});
