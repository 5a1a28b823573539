import { test } from "vitest";
import { holdsRemovals, isProtected, isServiceProtected } from "../../../shared/naming/protection.ts";
import { lightBeat, metadata, START, TestService } from "../../support/builders.ts";

const HOLD = 30 * 60_000;
const SECOND_ONE = { port: 81 };
/** Removed before it would be unhealthy. */
const HASTY = metadata({
  "preserved.heart.beat.interval": "1000",
  "preserved.heart.beat.timeout": "10000",
  "preserved.ip.delete.timeout": "2000",
});

/** A service of two instances that is protected when half of them are healthy or fewer. */
function protectedService(): TestService {
  const service = new TestService();
  service.register();
  service.configure({ protectThreshold: 0.5 });
  service.register(SECOND_ONE);
  return service;
}

/** Each instance as a letter, in the order they came: `H`ealthy, `u`nhealthy. */
function conditions(service: TestService): string {
  return [...service.state.instances.values()].map(({ healthy }) => (healthy ? "H" : "u")).join("");
}

function types(service: TestService): string[] {
  return service.changes.flatMap(({ events }) => events.map(({ type }) => type));
}

test.for([
  ["off by default", 0, 5, 0, false],
  ["off below 0", 0, 5, -1, false],
  ["nothing to protect", 0, 0, 0.5, false],
  ["nothing to protect at 1", 0, 0, 1, false],
  ["at the threshold", 1, 2, 0.5, true],
  ["above the threshold", 2, 3, 0.5, false],
  ["below the threshold", 1, 3, 0.5, true],
  ["a third", 1, 3, 1 / 3, true],
  ["none healthy at the smallest threshold", 0, 9, 0.005, true],
  ["all healthy at 1", 5, 5, 1, true],
  ["all healthy below 1", 5, 5, 0.999, false],
] as const)("P1: %s: %i of %i at %d is %s", ([, healthy, total, threshold, isOn], { expect }) => {
  expect(isProtected(healthy, total, threshold)).toBe(isOn);
});

test("P6: a service's protection counts its enabled instances alone", ({ expect }) => {
  const counts = { total: 10, healthy: 9, enabled: 2, healthyAndEnabled: 1 };
  expect(isServiceProtected(counts, 0.5)).toBe(true);
  expect(isServiceProtected({ ...counts, healthyAndEnabled: 2 }, 0.5)).toBe(false);
  expect(isServiceProtected({ ...counts, enabled: 0, healthyAndEnabled: 0 }, 0.5)).toBe(false);
});

test.for([
  ["not protected", null, false],
  ["protected now", 0, true],
  ["protected for nearly half an hour", -HOLD + 1, true],
  ["protected for half an hour", -HOLD, false],
] as const)("P4: %s: removals are held up is %s", ([, since, holds], { expect }) => {
  expect(holdsRemovals(since === null ? null : START + since, START)).toBe(holds);
});

test("P4: what expires under protection stays, unhealthy, for half an hour to the millisecond", ({
  expect,
}) => {
  const service = protectedService();
  expect(conditions(service.run(15_000))).toBe("uu");
  expect(service.state.record.protectedSince).toBe(START + 15_000);
  expect(conditions(service.run(15_000))).toBe("uu");
  expect(conditions(service.run(HOLD - 15_000 - 1))).toBe("uu");
  expect(conditions(service.run(1))).toBe("");
  expect(types(service).slice(3)).toEqual([
    "unhealthy",
    "unhealthy",
    "protection-began",
    "expired",
    "expired",
    "protection-ended",
  ]);
  expect(service.state.record.protectedSince).toBeNull();
});

test("P4: protection that begins with the very silence holds up the removal of that moment", ({ expect }) => {
  const service = protectedService();
  const both = metadata({ "preserved.heart.beat.timeout": "5000", "preserved.ip.delete.timeout": "5000" });
  for (const port of [80, 81]) service.register({ port, metadata: both });
  expect(conditions(service.run(4_999))).toBe("HH");
  expect(conditions(service.run(1))).toBe("uu");
});

test("P4, L9: one that would go without having been unhealthy is marked instead", ({ expect }) => {
  const service = protectedService();
  service.configure({ protectThreshold: 1 });
  service.register({ metadata: HASTY });
  expect(conditions(service.run(1_999))).toBe("HH");
  expect(conditions(service.run(1))).toBe("uH");
  expect(service.changes.at(-1)?.events).toMatchObject([
    { type: "unhealthy", cause: "no beat for 2000 ms; protection holds up its removal" },
  ]);
});

test("P4: an explicit deregistration removes what is held up", ({ expect }) => {
  const service = protectedService();
  service.run(60_000);
  expect(service.deregister()).toBe(1);
  expect(conditions(service)).toBe("u");
});

test("P4: without protection nothing is held up", ({ expect }) => {
  const service = protectedService();
  service.configure({ protectThreshold: 0.4 });
  service.run(10_000).beat(lightBeat(SECOND_ONE));
  service.run(10_000).beat(lightBeat(SECOND_ONE));
  expect(conditions(service)).toBe("uH");
  expect(conditions(service.run(10_000))).toBe("H");
});

test("P4: a disabled instance is held up like the others", ({ expect }) => {
  const service = protectedService();
  service.put({ enabled: false });
  expect(conditions(service.run(60_000))).toBe("uu");
});

test("P4: a new protection holds up for its own half hour", ({ expect }) => {
  const service = protectedService();
  service.run(15_000 + HOLD - 1);
  service.beat(lightBeat());
  service.beat(lightBeat(SECOND_ONE));
  expect(service.state.record.protectedSince).toBeNull();
  expect(conditions(service.run(15_000))).toBe("uu");
  expect(conditions(service.run(HOLD - 1))).toBe("uu");
  expect(conditions(service.run(1))).toBe("");
});

const ENDS: [string, (service: TestService) => unknown, string][] = [
  ["the threshold is lowered", (to) => to.configure({}), "HH"],
  ["others come", (to) => [82, 83, 84].map((port) => to.register({ port })), "HHHHH"],
  ["the unhealthy are disabled", (to) => [80, 81].map((port) => to.put({ enabled: false }, { port })), "HH"],
];

test.for(ENDS)("P5: what waits goes at once when %s", ([, end], { expect }) => {
  const service = protectedService();
  for (const port of [85, 86]) service.register({ port, ephemeral: true });
  for (let beat = 0; beat < 12; beat++) {
    service.run(5_000);
    for (const port of [85, 86]) service.beat(lightBeat({ port }));
  }
  expect(conditions(service)).toBe("uuHH");
  end(service);
  expect(service.state.record.protectedSince).toBeNull();
  expect(conditions(service.run(0))).not.toContain("u");
  expect(types(service).filter((type) => type === "expired")).toHaveLength(2);
  expect(types(service)).not.toContain("leases-restarted");
});

test("P5: a beat between the end of protection and the removal brings an instance back", ({ expect }) => {
  const service = protectedService();
  service.run(60_000);
  service.configure({});
  expect(service.state.nextDue).toBeLessThanOrEqual(service.now);
  service.beat(lightBeat());
  service.run(2_000);
  expect([service.find()?.healthy, service.find(SECOND_ONE)]).toEqual([true, undefined]);
});

test("P5: a beat brings back what is held up", ({ expect }) => {
  const service = protectedService();
  service.run(HOLD).beat(lightBeat());
  expect(conditions(service)).toBe("Hu");
  expect(conditions(service.run(14_999))).toBe("Hu");
});

const EDITS: [string, (service: TestService) => unknown][] = [
  ["an edit", (service) => service.put({ weight: 2 })],
  ["a registration", (service) => service.register({ healthy: false, weight: 2 })],
  ["settings", (service) => service.configure({ protectThreshold: 0.6 })],
];

test.for(EDITS)("L4, P4: %s of what is held up touches no other lease", ([, edit], { expect }) => {
  const service = new TestService();
  service.register();
  service.configure({ protectThreshold: 0.5 });
  service.register(SECOND_ONE);
  for (let beat = 0; beat < 12; beat++) service.run(5_000).beat(lightBeat(SECOND_ONE));
  edit(service);
  service.run(14_999);
  expect([types(service).includes("leases-restarted"), conditions(service)]).toEqual([false, "uH"]);
  expect(conditions(service.run(1))).toBe("uu");
});

test("P3: the counts tell the real health under protection", ({ expect }) => {
  const service = protectedService();
  service.run(15_000);
  expect(service.state.counts).toEqual({ total: 2, healthy: 0, enabled: 2, healthyAndEnabled: 0 });
});
