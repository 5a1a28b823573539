import { test } from "vitest";
import { fail } from "../../../shared/errors.ts";
import { BEAT_UNKNOWN, judgeBeat, UNKNOWN_BEAT_ANSWER } from "../../../shared/naming/beat.ts";
import type { Instance } from "../../../shared/naming/instance.ts";
import { serviceKind } from "../../../shared/naming/service.ts";
import { fullBeat, lightBeat, metadata, registration, START, TestService } from "../../support/builders.ts";

/** What a full beat says of its instance, beside its address. */
function said(fields: Parameters<typeof registration>[0]): ReturnType<typeof fullBeat>["registration"] {
  const { ip: _ip, port: _port, clusterName: _clusterName, ...rest } = registration(fields);
  return rest;
}

/** Clusters of one address, each with the time of its last beat since the start. */
function beatsOf(service: TestService): Record<string, number> {
  return Object.fromEntries(
    [...service.state.instances.values()].map(({ clusterName, lastBeat }) => [clusterName, lastBeat - START]),
  );
}

/** A service with one address in several clusters, registered at the start; the clock stands 1,000 later. */
function inClusters(...clusterNames: string[]): TestService {
  const service = new TestService();
  for (const clusterName of clusterNames) service.register({ clusterName });
  return service.run(1_000);
}

test("B1: a beat renews the lease in place and changes nothing else", ({ expect }) => {
  const service = inClusters("DEFAULT");
  const before = service.find();
  const { record } = service.state;
  expect(service.beat(lightBeat())).toBe("renewed");
  expect(service.changes.length).toBe(1);
  expect(service.find()).toBe(before);
  expect(before?.lastBeat).toBe(START + 1_000);
  expect(service.state.lastBeatAt).toBe(START + 1_000);
  expect(service.state.record).toBe(record);
});

test("B1: a beat makes an unhealthy instance healthy, as one change with one event", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.run(15_000);
  const { revision } = service.state.record;
  expect(service.find()?.healthy).toBe(false);
  expect(service.beat(lightBeat())).toBe("renewed");
  expect(service.find()).toMatchObject({ healthy: true, lastBeat: service.now });
  expect(service.state.record.revision).toBe(revision + 1);
  expect(service.changes.at(-1)?.events).toEqual([
    {
      seq: 3,
      time: service.now,
      type: "healthy",
      address: { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 },
      cause: "beat",
      by: "tester",
    },
  ]);
  expect(service.beat(lightBeat())).toBe("renewed");
  expect(service.state.record.revision).toBe(revision + 1);
});

test("B1: weight, enabled and metadata of a beat are not read where the instance is known", ({ expect }) => {
  const service = new TestService();
  service.register({ weight: 3, healthy: false, metadata: metadata({ a: "1" }) });
  service.put({ weight: 7, enabled: false });
  const before = service.find();
  const beat = fullBeat({
    registration: said({ weight: 9, healthy: false, metadata: metadata({ ["__proto__"]: "1", b: "2" }) }),
  });
  expect(service.run(1_000).beat(beat)).toBe("renewed");
  expect(service.find()).toEqual({
    ...before,
    healthy: true,
    lastBeat: START + 1_000,
  } satisfies Partial<Instance>);
});

test("B1: a disabled instance is renewed too", ({ expect }) => {
  const service = new TestService();
  service.register({ enabled: false });
  expect(service.run(14_999).beat(lightBeat())).toBe("renewed");
  expect(service.run(14_999).find()).toMatchObject({ healthy: true, effective: { enabled: false } });
});

test("B1: a full beat of the other kind renews an ephemeral instance all the same", ({ expect }) => {
  const service = inClusters("DEFAULT");
  expect(service.beat(fullBeat({ registration: said({ ephemeral: false }) }))).toBe("renewed");
  expect(serviceKind(service.state)).toBe("ephemeral");
});

test.for<[name: string, clusters: string[], named: string | null, beats: Record<string, number>]>([
  ["with a cluster", ["DEFAULT", "a", "b"], "a", { DEFAULT: 0, a: 1_000, b: 0 }],
  ["with DEFAULT", ["DEFAULT", "a"], "DEFAULT", { DEFAULT: 1_000, a: 0 }],
  ["without a cluster", ["a", "DEFAULT", "b"], null, { a: 0, DEFAULT: 1_000, b: 0 }],
  ["without a cluster, where DEFAULT has none", ["b", "a"], null, { b: 1_000, a: 1_000 }],
  ["without a cluster, where there is one", ["a"], null, { a: 1_000 }],
])("B2: a beat %s", ([, clusters, named, beats], { expect }) => {
  const service = inClusters(...clusters);
  expect(service.beat(lightBeat({ clusterName: named }))).toBe("renewed");
  expect(beatsOf(service)).toEqual(beats);
});

test("B2: every unhealthy instance that a beat without a cluster feeds is revived in one change", ({
  expect,
}) => {
  const service = new TestService();
  for (const [clusterName, healthy] of [
    ["a", false],
    ["b", true],
    ["c", false],
  ] as const) {
    service.register({ clusterName, healthy });
  }
  const { revision } = service.state.record;
  service.run(500).beat(lightBeat());
  expect(beatsOf(service)).toEqual({ a: 500, b: 500, c: 500 });
  expect(service.changes.at(-1)?.events.map(({ type, address }) => [type, address?.clusterName])).toEqual([
    ["healthy", "a"],
    ["healthy", "c"],
  ]);
  expect(service.state.record.revision).toBe(revision + 1);
});

const UNKNOWN = [
  ["another ip", { ip: "10.0.0.2" }],
  ["another port", { port: 81 }],
  ["another cluster", { clusterName: "b" }],
  ["a cluster in another case", { clusterName: "default" }],
  ["no ip", { ip: "" }],
  ["the port of nothing", { port: 0 }],
  ["a name of every object", { ip: "__proto__" }],
  ["an ip that holds the key of the known one", { ip: "80#10.0.0.1" }],
] as const;

test.for(UNKNOWN)("B3: a light beat with %s is unknown and makes nothing", ([, fields], { expect }) => {
  const service = inClusters("DEFAULT");
  expect(service.beat(lightBeat(fields))).toBe("unknown");
  expect(beatsOf(service)).toEqual({ DEFAULT: 0 });
  expect(service.changes.length).toBe(1);
});

test("B3: a light beat for a service that is not there leaves it so", ({ expect }) => {
  const service = new TestService();
  expect(service.beat(lightBeat())).toBe("unknown");
  expect({ exists: service.state.record.exists, changes: service.changes }).toEqual({
    exists: false,
    changes: [],
  });
  expect(UNKNOWN_BEAT_ANSWER).toEqual({ code: BEAT_UNKNOWN, beatIntervalMs: 5_000 });
  expect(BEAT_UNKNOWN).toBe(20_404);
});

test("B4: a full beat for an unknown instance registers what it says, in DEFAULT where it names none", ({
  expect,
}) => {
  const service = new TestService();
  const own = said({ weight: 0.5, enabled: false, metadata: metadata({ constructor: "1" }) });
  expect(service.beat(fullBeat({ registration: own }))).toBe("registered");
  expect(service.beat(fullBeat({ clusterName: "a", ip: "2001:DB8::0:1" }))).toBe("registered");
  expect(service.find()).toMatchObject({
    registered: { weight: 0.5, enabled: false, metadata: metadata({ constructor: "1" }) },
    healthy: true,
    lastBeat: START,
  });
  expect(service.find({ clusterName: "a", ip: "2001:db8::1" })?.slot).toBe(2);
  expect(service.changes[0]?.events[0]).toMatchObject({
    type: "registered",
    cause: "full beat of an unknown instance",
    by: "tester",
  });
});

test("B4: a full beat is checked as a registration is, and without an ip refused", ({ expect }) => {
  const { state } = new TestService();
  const own = said({ metadata: metadata({ "preserved.heart.beat.interval": "15001" }) });
  expect(judgeBeat(state, fullBeat({ registration: own }), START, "tester")).toEqual(
    fail(
      "instanceInvalid",
      "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.",
    ),
  );
  expect(judgeBeat(state, fullBeat({ ip: "" }), START, "tester")).toEqual(
    fail("parameterMissing", "Param 'ip' is required."),
  );
});
