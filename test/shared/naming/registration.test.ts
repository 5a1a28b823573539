import { test } from "vitest";
import { planRegistration } from "../../../shared/naming/registration.ts";
import {
  fullBeat,
  lightBeat,
  metadata,
  ORIGIN,
  registration,
  SHORT_TIMINGS,
  START,
  TestService,
} from "../../support/builders.ts";

const NONE = new Map<string, string>();
const ID = "10.0.0.1#80#DEFAULT#DEFAULT_GROUP@@orders";
const TIMINGS = { beatIntervalMs: 5_000, beatTimeoutMs: 15_000, deleteTimeoutMs: 30_000 };
const ADDRESS = { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 };

function eventsOf(service: TestService): unknown[] {
  return service.changes.flatMap(({ events }) => events);
}

test("I1, S1, E1: a first registration makes the service and the instance", ({ expect }) => {
  const service = new TestService();
  service.register();
  expect([...service.state.instances.values()]).toEqual([
    {
      ...ADDRESS,
      ephemeral: true,
      slot: 1,
      instanceId: ID,
      registered: { weight: 1, enabled: true, metadata: NONE },
      override: null,
      healthy: true,
      effective: { weight: 1, enabled: true, metadata: NONE },
      timings: TIMINGS,
      session: null,
      lastBeat: START,
    },
  ]);
  expect(service.state.record).toMatchObject({ exists: true, isKept: false, revision: 1, nextSlot: 2 });
  expect(eventsOf(service)).toEqual([
    { seq: 1, time: START, type: "registered", address: ADDRESS, cause: "test", by: "tester" },
  ]);
});

test("I1: cluster, ip and port together are the identity", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.register({ clusterName: "a" });
  service.register({ clusterName: "A" });
  service.register({ port: 81 });
  service.register({ ip: "10.0.0.2" });
  service.register({ clusterName: "a", weight: 2 });
  const known = [...service.state.instances.values()].map(({ slot, clusterName, effective }) => [
    slot,
    clusterName,
    effective.weight,
  ]);
  expect(known).toEqual([
    [1, "DEFAULT", 1],
    [2, "a", 2],
    [3, "A", 1],
    [4, "DEFAULT", 1],
    [5, "DEFAULT", 1],
  ]);
});

test("I1, N7: IPv6 in another spelling is the same instance", ({ expect }) => {
  const service = new TestService();
  service.register({ ip: "2001:DB8:0:0::1" });
  service.register({ ip: "[2001:db8::1]", weight: 2 });
  expect([...service.state.instances.values()]).toMatchObject([{ ip: "2001:db8::1", slot: 1 }]);
  expect(service.deregister({ ip: "2001:db8::0001" })).toBe(1);
  expect(service.state.instances.size).toBe(0);
});

test("I1, N12: clusters and addresses named like built-in properties are plain", ({ expect }) => {
  const service = new TestService();
  for (const name of ["__proto__", "constructor", "toString"]) {
    service.register({ ip: name, clusterName: name, metadata: metadata({ [name]: name }) });
    expect(service.deregister({ ip: "valueOf", clusterName: name })).toBe(0);
  }
  expect(service.state.counts.total).toBe(3);
  expect(service.state.clusterSizes.get("__proto__")).toBe(1);
  expect(service.deregister({ ip: "__proto__" })).toBe(1);
});

test("I2: a registration replaces weight, enabled and metadata wholesale, and sets health", ({ expect }) => {
  const service = new TestService();
  service.register({ weight: 7, enabled: false, metadata: metadata({ a: "1", b: "2" }), healthy: false });
  service.now += 1_000;
  service.register({ metadata: metadata({ c: "3" }) });
  const values = { weight: 1, enabled: true, metadata: metadata({ c: "3" }) };
  expect(service.find()).toMatchObject({ registered: values, effective: values, healthy: true, slot: 1 });
  expect(service.find()?.lastBeat).toBe(START + 1_000);
  service.register({ metadata: metadata({ c: "3" }), healthy: false });
  expect(service.find()).toMatchObject({ registered: values, healthy: false });
  expect(eventsOf(service)).toMatchObject([
    { cause: "test, unhealthy until its first beat" },
    { cause: "test (changed)" },
    { cause: "test (changed), unhealthy until its first beat" },
  ]);
});

test("I3: the same registration again changes nothing but the lease", ({ expect }) => {
  const service = new TestService();
  const same = { weight: 0.005, metadata: metadata({ a: "1", b: "2" }) };
  service.register(same);
  const before = structuredClone(service.state);
  service.run(14_999);
  expect(service.register({ ...same, metadata: metadata({ b: "2", a: "1" }) })).toBeNull();
  expect(service.state.record).toEqual(before.record);
  expect(service.changes).toHaveLength(1);
  expect(service.find()?.lastBeat).toBe(START + 14_999);
  service.run(14_999);
  expect(service.find()?.healthy).toBe(true);
});

test("I3: under an override, too, and the registered values count, not those in force", ({ expect }) => {
  const service = new TestService();
  service.register({ weight: 2 });
  service.put({ weight: 3 });
  expect(service.register({ weight: 2 })).toBeNull();
  expect(service.register({ weight: 3 })).not.toBeNull();
  expect(service.find()).toMatchObject({ registered: { weight: 3 }, effective: { weight: 3 } });
});

test("I4: one that is registered unhealthy is so until its first beat", ({ expect }) => {
  const service = new TestService();
  service.register({ healthy: false });
  expect(service.run(5_000).find()?.healthy).toBe(false);
  service.beat(lightBeat());
  expect(service.find()?.healthy).toBe(true);
});

const CONFLICTS: [string, boolean, string][] = [
  [
    "ephemeral",
    true,
    "Current service DEFAULT_GROUP@@orders is ephemeral service, can't register persistent instance.",
  ],
  [
    "persistent",
    false,
    "Current service DEFAULT_GROUP@@orders is persistent service, can't register ephemeral instance.",
  ],
];

test.for(CONFLICTS)(
  "I5: a service of %s instances refuses the other kind",
  ([, ephemeral, message], { expect }) => {
    const service = new TestService();
    service.register({ ephemeral });
    const before = structuredClone(service.state);
    for (const fields of [{}, { port: 81 }, { clusterName: "a" }]) {
      const other = registration({ ...fields, ephemeral: !ephemeral });
      const planned = planRegistration(service.state, other, START, ORIGIN);
      expect(planned).toEqual({ ok: false, error: { name: "kindConflict", message } });
    }
    expect(service.state).toEqual(before);
  },
);

test.for([
  ["deregistered", (service: TestService) => service.deregister()],
  ["expired", (service: TestService) => service.run(30_000)],
] as const)("I5: once its last instance has %s a service takes the other kind", ([, leave], { expect }) => {
  const service = new TestService();
  service.register();
  leave(service);
  service.register({ ephemeral: false });
  expect(service.find()?.ephemeral).toBe(false);
});

test("I5: a service made by hand takes either kind", ({ expect }) => {
  for (const ephemeral of [true, false]) {
    const service = new TestService();
    service.register();
    service.deregister();
    service.configure({ protectThreshold: 0.5 });
    service.register({ ephemeral });
    expect(service.find()?.ephemeral).toBe(ephemeral);
  }
});

test("I10: persistent instances never expire, whatever timings they name, and beats do not matter", ({
  expect,
}) => {
  const service = new TestService();
  service.register({ ephemeral: false, metadata: SHORT_TIMINGS });
  expect(service.state.nextDue).toBe(Number.POSITIVE_INFINITY);
  service.run(10 * 24 * 3_600_000);
  expect(service.find()).toMatchObject({ healthy: true, ephemeral: false });
  expect(service.changes).toHaveLength(1);
});

const TIMINGS_REFUSAL =
  "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.";

test.for([
  ["timings out of order", { "preserved.heart.beat.interval": "15001" }, TIMINGS_REFUSAL],
  ["a removal below the interval", { "preserved.ip.delete.timeout": "4999" }, TIMINGS_REFUSAL],
  [
    "an unknown id generator",
    { "preserved.instance.id.generator": "uuid" },
    "The InstanceIdGenerator type 'uuid' in metadata 'preserved.instance.id.generator' is not found, allowed: simple, snowflake",
  ],
] as [string, Record<string, string>, string][])(
  "L2, I9: %s: refused, and nothing has happened",
  ([, entries, message], { expect }) => {
    const service = new TestService();
    const before = structuredClone(service.state);
    const planned = planRegistration(
      service.state,
      registration({ metadata: metadata(entries) }),
      START,
      ORIGIN,
    );
    expect(planned).toEqual({ ok: false, error: { name: "instanceInvalid", message } });
    expect(service.state).toEqual(before);
  },
);

test("O1, O8: a registration within a minute of the expiry finds its override, a later one does not", ({
  expect,
}) => {
  for (const [wait, weight] of [
    [59_999, 9],
    [60_000, 1],
  ] as const) {
    const service = new TestService();
    service.register({ port: 81, ephemeral: true });
    service.register();
    service.put({ weight: 9 });
    service.run(30_000).run(wait).register();
    expect(service.find()?.effective.weight).toBe(weight);
    expect(service.state.orphanedOverrides.size).toBe(0);
  }
});

test("B5: a registration ends what holds off full beats", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  expect(service.beat(fullBeat())).toBe("unknown");
  service.register();
  expect(service.state.deregisteredAt.size).toBe(0);
  expect(service.beat(fullBeat())).toBe("renewed");
});
