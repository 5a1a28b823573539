import { test } from "vitest";
import { earliestDue, instanceDue, recordDue, removedAt, unhealthyAt } from "../../../shared/naming/due.ts";
import { restartLeases } from "../../../shared/naming/expiry.ts";
import { newRecord } from "../../../shared/naming/service.ts";
import type { Registration } from "../../../shared/naming/registration.ts";
import {
  fullBeat,
  lightBeat,
  metadata,
  REF,
  SHORT_TIMINGS,
  START,
  TestService,
} from "../../support/builders.ts";

const NEVER = Number.POSITIVE_INFINITY;
const HOLD = 30 * 60_000;

const LEASES: [string, Partial<Registration>, number, number][] = [
  ["a healthy instance", {}, START + 15_000, START + 30_000],
  ["an unhealthy one", { healthy: false }, NEVER, START + 30_000],
  ["a disabled one", { enabled: false }, START + 15_000, START + 30_000],
  ["one with short timings", { metadata: SHORT_TIMINGS }, START + 3_000, START + 6_000],
  ["a persistent one", { ephemeral: false }, NEVER, NEVER],
  ["a persistent one with timings", { ephemeral: false, metadata: SHORT_TIMINGS }, NEVER, NEVER],
  ["an unhealthy persistent one", { ephemeral: false, healthy: false }, NEVER, NEVER],
];

test.for(LEASES)("L1, I10: the deadlines of %s", ([, fields, silent, removed], { expect }) => {
  const service = new TestService();
  service.register(fields);
  const instance = service.find();
  const found = instance && [unhealthyAt(instance), removedAt(instance), instanceDue(instance)];
  expect(found).toEqual([silent, removed, Math.min(silent, removed)]);
  expect(service.state.nextDue).toBe(Math.min(silent, removed));
});

const EXISTING = { ...newRecord(REF, START), exists: true };

test.for([
  ["S4: of a service that does not exist nothing is due", { exists: false, emptySince: START }, NEVER],
  ["S4: a service with instances has nothing due", {}, NEVER],
  ["S4: an empty service goes after a minute", { emptySince: START }, START + 60_000],
  ["S4: one made by hand stays", { emptySince: START, isKept: true }, NEVER],
  ["P4: the hold of removals ends after half an hour", { protectedSince: START }, START + HOLD],
  ["P4: the end of a hold that is over is not due again", { protectedSince: START - HOLD }, NEVER],
  ["P4: the end of a hold that is nearly over is due", { protectedSince: START - HOLD + 1 }, START + 1],
] as const)("%s", ([, fields, due], { expect }) => {
  expect(recordDue({ ...EXISTING, ...fields }, START)).toBe(due);
});

const ALARMS: [string, (service: TestService) => unknown, number][] = [
  ["nothing", () => null, NEVER],
  [
    "two instances: the earlier one",
    (to) => (to.register({ metadata: SHORT_TIMINGS }), to.register({ port: 81 })),
    3_000,
  ],
  ["an instance that is gone: none but its service", (to) => (to.register(), to.deregister()), 60_000],
  [
    "an instance of a kept service that is gone",
    (to) => (to.register(), to.configure({}), to.deregister()),
    NEVER,
  ],
  ["persistent instances", (to) => to.register({ ephemeral: false, metadata: SHORT_TIMINGS }), NEVER],
  [
    "an override that waits",
    (to) => (to.register(), to.configure({}), to.put({ weight: 2 }), to.run(30_000)),
    90_000,
  ],
  [
    "unhealthy ones under protection: the end of its hold",
    (to) => (to.register(), to.configure({ protectThreshold: 0.5 }), to.run(15_000)),
    15_000 + HOLD,
  ],
  [
    "a healthy one under protection: its own",
    (to) => (
      to.register({ healthy: false }),
      to.register({ port: 81 }),
      to.configure({ protectThreshold: 0.5 }),
      to.run(10_000)
    ),
    15_000,
  ],
];

test.for(ALARMS)("L8: the next thing due for %s", ([, build, due], { expect }) => {
  const service = new TestService();
  build(service);
  expect(earliestDue(service.state, service.now)).toBe(START + due);
  expect(service.state.nextDue).toBeLessThanOrEqual(START + due);
});

test.for([
  ["a light beat", lightBeat()],
  ["a full beat", fullBeat()],
  ["a beat with its cluster", lightBeat({ clusterName: "DEFAULT" })],
] as const)("L8: %s never moves the alarm", ([, beat], { expect }) => {
  const service = new TestService();
  service.register();
  for (const after of [1, 4_999, 9_999]) {
    service.advanceTo(START + after);
    service.beat(beat);
    expect(service.state.nextDue).toBe(START + 15_000);
  }
  service.advanceTo(START + 15_000);
  expect(service.state.nextDue).toBe(START + 9_999 + 15_000);
  expect(service.changes).toHaveLength(1);
});

test("L8: an instance with a sooner deadline moves the alarm, one with a later does not", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.register({ port: 81, metadata: metadata({ "preserved.heart.beat.timeout": "20000" }) });
  expect(service.state.nextDue).toBe(START + 15_000);
  service.register({ port: 82, metadata: SHORT_TIMINGS });
  expect(service.state.nextDue).toBe(START + 3_000);
});

test("L5: after being away an empty service has its full minute again", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  service.advanceTo(START + 60_000 + 3_001);
  expect(service.run(60_000 - 1).state.record.exists).toBe(true);
  expect(service.changes.at(-1)?.events).toMatchObject([{ type: "leases-restarted" }]);
  expect(service.run(1).state.record.exists).toBe(false);
});

test.for([
  ["that does not exist", () => null],
  ["with persistent instances", (service: TestService) => service.register({ ephemeral: false })],
  [
    "that stays when it is empty",
    (service: TestService) => (service.register(), service.configure({}), service.deregister()),
  ],
] as const)("L5: in a service %s nothing starts again", ([, build], { expect }) => {
  const service = new TestService();
  build(service);
  expect(restartLeases(service.state, START, START + 60_000)).toBeNull();
});
