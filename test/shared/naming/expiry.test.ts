import { test } from "vitest";
import { wasAway } from "../../../shared/naming/expiry.ts";
import { lightBeat, metadata, SHORT_TIMINGS, START, TestService } from "../../support/builders.ts";

const MINUTE = 60_000;

/** Metadata that set timings. */
function timings(interval: string, timeout: string, removal: string): ReadonlyMap<string, string> {
  return metadata({
    "preserved.heart.beat.interval": interval,
    "preserved.heart.beat.timeout": timeout,
    "preserved.ip.delete.timeout": removal,
  });
}

/** `healthy`, `unhealthy` or `gone`: what has become of an instance. */
function condition(service: TestService, port = 80): string {
  const instance = service.find({ port });
  if (instance === undefined) return "gone";
  return instance.healthy ? "healthy" : "unhealthy";
}

/** Types of all events with the time since the start, in milliseconds. */
function history(service: TestService): [string, number][] {
  return service.changes.flatMap(({ events }) =>
    events.map(({ type, time }): [string, number] => [type, time - START]),
  );
}

const LEASES: [string, ReadonlyMap<string, string>, number, number][] = [
  ["Nacos's own timings", metadata({}), 15_000, 30_000],
  ["timings of the instance", SHORT_TIMINGS, 3_000, 6_000],
  ["timings that are no digits", timings("1s", "-3000", "6e3"), 15_000, 30_000],
  ["one timing of its own", metadata({ "preserved.heart.beat.timeout": "20000" }), 20_000, 30_000],
  ["timings of hours", timings("5000", "3600000", "7200000"), 3_600_000, 7_200_000],
  ["a timeout that equals the interval", timings("5000", "5000", "5001"), 5_000, 5_001],
];

test.for(LEASES)(
  "L1: %s end a registered lease to the millisecond",
  ([, own, silent, removed], { expect }) => {
    const service = new TestService();
    service.register({ metadata: own });
    expect(condition(service.run(silent - 1))).toBe("healthy");
    expect(condition(service.run(1))).toBe("unhealthy");
    expect(condition(service.run(removed - silent - 1))).toBe("unhealthy");
    expect(condition(service.run(1))).toBe("gone");
    expect(history(service).slice(1)).toEqual([
      ["unhealthy", silent],
      ["expired", removed],
    ]);
  },
);

test.for(LEASES)("L1: %s end a beaten lease to the millisecond", ([, own, silent, removed], { expect }) => {
  const service = new TestService();
  service.register({ metadata: own });
  service.run(silent - 1).beat(lightBeat());
  expect(condition(service.run(silent - 1))).toBe("healthy");
  expect(condition(service.run(1))).toBe("unhealthy");
  service.beat(lightBeat());
  expect(condition(service.run(silent - 1))).toBe("healthy");
  expect(condition(service.run(removed - silent))).toBe("unhealthy");
  expect(condition(service.run(1))).toBe("gone");
});

test("L1: a lease that is beaten in time never ends", ({ expect }) => {
  const service = new TestService();
  service.register();
  for (let beat = 0; beat < 100; beat++) service.run(14_999).beat(lightBeat());
  expect(history(service)).toEqual([["registered", 0]]);
  expect(condition(service)).toBe("healthy");
});

test("L1: one registered unhealthy is removed in the same time", ({ expect }) => {
  const service = new TestService();
  service.register({ healthy: false });
  expect(condition(service.run(29_999))).toBe("unhealthy");
  expect(condition(service.run(1))).toBe("gone");
});

test.for([
  [0, ["unhealthy"]],
  [1_000, ["unhealthy"]],
  [2_999, ["unhealthy"]],
  [3_000, ["unhealthy", "expired"]],
] as const)("L3: what a read finds %i ms late is done at once", ([late, done], { expect }) => {
  const service = new TestService();
  service.register({ metadata: SHORT_TIMINGS });
  service.advanceTo(START + 3_000 + late);
  expect(history(service).slice(1)).toEqual(done.map((type) => [type, 3_000 + late]));
});

test("L4: a registration voids the older deadlines of its instance", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.run(14_999).register({ weight: 2 });
  expect(condition(service.run(14_999))).toBe("healthy");
  service.register({ weight: 2 });
  expect(condition(service.run(14_999))).toBe("healthy");
  expect(condition(service.run(1))).toBe("unhealthy");
  service.register({ weight: 2 });
  expect(condition(service.run(14_999))).toBe("healthy");
  expect(condition(service.run(15_000))).toBe("unhealthy");
  expect(condition(service.run(1))).toBe("gone");
});

const OTHER = { port: 81 };
const CHANGES: [string, (service: TestService) => unknown][] = [
  ["a registration", (service) => service.register({ ...OTHER, weight: 3 })],
  ["the same registration", (service) => service.register(OTHER)],
  ["a new instance", (service) => service.register({ port: 82 })],
  ["a beat", (service) => service.beat(lightBeat(OTHER))],
  ["an edit", (service) => service.put({ weight: 2 }, OTHER)],
  [
    "an edit of the timings",
    (service) => service.find(OTHER) && service.patch({ metadata: SHORT_TIMINGS }, OTHER),
  ],
  ["a deregistration", (service) => service.deregister(OTHER)],
  ["the same address in another cluster", (service) => service.register({ clusterName: "a" })],
  ["a deregistration in another cluster", (service) => service.deregister({ clusterName: "a" })],
  ["an edit of itself", (service) => service.put({ weight: 2, enabled: false })],
  ["settings", (service) => service.configure({ metadata: metadata({ a: "b" }) })],
];

test.for(CHANGES)("L4: %s leaves the lease of an instance as it was", ([, change], { expect }) => {
  const service = new TestService();
  service.register();
  service.run(2_000).register(OTHER);
  service.run(10_000);
  change(service);
  expect(condition(service.run(2_999))).toBe("healthy");
  expect(condition(service.run(1))).toBe("unhealthy");
  change(service);
  expect(condition(service.run(14_999))).toBe("unhealthy");
  expect(condition(service.run(1))).toBe("gone");
});

test.for([
  [-1, false],
  [0, false],
  [3_000, false],
  [3_001, true],
  [Number.NEGATIVE_INFINITY, false],
] as const)("L5: a duty found %d ms late: away is %s", ([late, away], { expect }) => {
  expect(wasAway(START, START + late)).toBe(away);
});

test.for([3_001, 15_000, 60_000, 3_600_000_000])(
  "L5: %i ms of being away mark nobody, and every lease starts again",
  (late, { expect }) => {
    const service = new TestService();
    service.register({ healthy: false });
    service.register(OTHER);
    service.run(7_000).beat(lightBeat(OTHER));
    const { revision } = service.state.record;
    service.advanceTo(START + 15_000 + late);
    expect(history(service).slice(2)).toEqual([["leases-restarted", 15_000 + late]]);
    expect(service.state.record.revision).toBe(revision);
    expect([condition(service), condition(service, 81)]).toEqual(["unhealthy", "healthy"]);
    service.run(14_999);
    expect([condition(service), condition(service, 81)]).toEqual(["unhealthy", "healthy"]);
    service.run(1);
    expect([condition(service), condition(service, 81)]).toEqual(["unhealthy", "unhealthy"]);
    service.run(14_999);
    expect([condition(service), condition(service, 81)]).toEqual(["unhealthy", "unhealthy"]);
    service.run(1);
    expect([condition(service), condition(service, 81)]).toEqual(["gone", "gone"]);
  },
);

test("L5: three seconds late is not away: what was due is done", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.advanceTo(START + 18_000);
  expect(history(service).slice(1)).toEqual([["unhealthy", 18_000]]);
});

test.for([
  ["a service that instances made", {}],
  ["a service with an instance left", { port: 81 }],
] as const)("L5: after being away an override of %s waits its full minute again", ([, other], { expect }) => {
  const service = new TestService();
  service.register();
  if ("port" in other) service.register({ ...other, metadata: timings("1000", "500000", "500000") });
  service.put({ weight: 5 });
  service.run(30_000);
  service.advanceTo(START + 30_000 + MINUTE + 3_001);
  expect(history(service).at(-1)?.[0]).toBe("leases-restarted");
  service.run(MINUTE - 1).register();
  expect(service.find()?.effective.weight).toBe(5);
});

test.for([1, 5_000, 14_999, 3_600_000])(
  "L7: a clock that jumps back %i ms ends a lease late by the jump, never early",
  (jump, { expect }) => {
    const service = new TestService();
    service.register();
    service.run(10_000).advanceTo(service.now - jump);
    expect(condition(service.run(5_000 + jump - 1))).toBe("healthy");
    expect(condition(service.run(1))).toBe("unhealthy");
    expect(condition(service.run(15_000))).toBe("gone");
  },
);

test.for([1, 2_999, 5_000, 14_999, 3_600_000])(
  "L7: a beat after a jump back of %i ms has its full time, and no more than the jump beyond",
  (jump, { expect }) => {
    const service = new TestService();
    service.register();
    service.run(10_000).advanceTo(service.now - jump);
    service.beat(lightBeat());
    expect(condition(service.run(14_999))).toBe("healthy");
    expect(condition(service.run(jump + 1))).not.toBe("healthy");
  },
);

test("L9: one whose removal comes before its timeout was never unhealthy", ({ expect }) => {
  const service = new TestService();
  service.register({ metadata: timings("1000", "10000", "2000") });
  expect(condition(service.run(1_999))).toBe("healthy");
  expect(condition(service.run(1))).toBe("gone");
  expect(history(service).slice(1)).toEqual([["expired", 2_000]]);
});
