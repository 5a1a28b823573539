import { runInDurableObject } from "cloudflare:test";
import { test } from "vitest";
import { HOUR, SECOND, ServiceDriver, timings, useManualClock } from "../support/objects.ts";

const clock = useManualClock();

const HEALTHY = { "10.0.0.1": true };
const UNHEALTHY = { "10.0.0.1": false };

/** A service with a silent instance, with all that follows a registration at once done, so that its lease comes next. */
async function silentService(): Promise<ServiceDriver> {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  return service;
}

/** Calls the alarm's handler itself, whether or not an alarm is set. */
async function callAlarm(service: ServiceDriver): Promise<void> {
  await runInDurableObject(service.stub, (object) => object.alarm());
}

test("L3: the alarm is set for the very moment of flip and removal", async ({ expect }) => {
  const service = await silentService();
  const registered = clock.now() - 1 * SECOND;
  expect(await service.alarmAt()).toBe(registered + 15 * SECOND);
  await service.pass(clock, 15 * SECOND);
  expect(await service.alarmAt()).toBe(registered + 30 * SECOND);
  const { events } = await service.stub.getEvents(service.ref, 1, 10);
  expect(events).toEqual([
    {
      seq: 2,
      time: registered + 15 * SECOND,
      type: "unhealthy",
      address: { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 },
      cause: "no beat for 15000 ms",
      by: "registry",
    },
  ]);
});

test.for([
  { name: "on the dot", late: 0 },
  { name: "2 s late", late: 2 * SECOND },
  { name: "3 s late", late: 3 * SECOND },
])("D2, L5: an alarm $name acts", async ({ late }, { expect }) => {
  const service = await silentService();
  clock.move(14 * SECOND + late);
  expect(await service.fireAlarm()).toBe(true);
  expect(await service.rows("SELECT ip, healthy FROM instance")).toEqual([{ ip: "10.0.0.1", healthy: 0 }]);
  expect(await service.eventTypes()).toEqual(["registered", "unhealthy"]);
});

test.for([
  { name: "the flip, 3.001 s late", passed: 0, moved: 14 * SECOND + 3_001, health: HEALTHY },
  { name: "the flip, a minute late", passed: 0, moved: 74 * SECOND, health: HEALTHY },
  { name: "the removal, a minute late", passed: 15 * SECOND, moved: 74 * SECOND, health: UNHEALTHY },
])("D2, L5: an alarm for $name starts every lease again", async (row, { expect }) => {
  const service = await silentService();
  await service.pass(clock, row.passed);
  const before = await service.list();
  clock.move(row.moved);
  await service.fireAlarm();
  expect(await service.list()).toEqual(before);
  expect(await service.health()).toEqual(row.health);
  expect((await service.eventTypes()).at(-1)).toBe("leases-restarted");
  const restarted = clock.now();
  expect(await service.lastBeat()).toBe(restarted);
  await service.evict();
  expect(await service.lastBeat()).toBe(restarted);
  await service.pass(clock, 15 * SECOND - 1);
  expect(await service.health()).toEqual(row.health);
  await service.pass(clock, 1);
  expect(await service.health()).toEqual(UNHEALTHY);
  await service.pass(clock, 15 * SECOND);
  expect(await service.health()).toEqual({});
});

test("D2, L5: a late alarm of a service starts again the leases that were not yet due, too", async ({
  expect,
}) => {
  const service = await silentService();
  await service.pass(clock, 9 * SECOND);
  await service.register({ ip: "10.0.0.2" });
  await service.pass(clock, 1 * SECOND);
  clock.move(9 * SECOND);
  await service.fireAlarm();
  await service.pass(clock, 15 * SECOND - 1);
  expect(await service.health()).toEqual({ "10.0.0.1": true, "10.0.0.2": true });
});

test("D2: an alarm that runs twice does what one does", async ({ expect }) => {
  const service = await silentService();
  clock.move(14 * SECOND);
  await callAlarm(service);
  const once = await service.view();
  await callAlarm(service);
  await callAlarm(service);
  expect(await service.view()).toEqual(once);
  await service.evict();
  await callAlarm(service);
  expect(await service.view()).toEqual(once);
  expect(await service.alarmAt()).toBe(clock.now() + 15 * SECOND);
});

test("D2: an alarm that comes early changes nothing and comes again", async ({ expect }) => {
  const service = await silentService();
  const before = await service.view();
  const due = await service.alarmAt();
  clock.move(5 * SECOND);
  expect(await service.fireAlarm()).toBe(true);
  expect(await service.view()).toEqual(before);
  expect(await service.alarmAt()).toBe(due);
});

test("D2: an alarm in an object that holds nothing does nothing", async ({ expect }) => {
  const service = new ServiceDriver();
  await callAlarm(service);
  expect(await service.alarmAt()).toBeNull();
});

test.for([
  { name: "in memory", evicts: false },
  { name: "after an eviction", evicts: true },
])("D2, L3: without any alarm a read judges by the clock, $name", async ({ evicts }, { expect }) => {
  const service = await silentService();
  clock.move(14 * SECOND - 1);
  if (evicts) await service.evict();
  expect(await service.health()).toEqual(HEALTHY);
  clock.move(1);
  if (evicts) await service.evict();
  expect(await service.health()).toEqual(UNHEALTHY);
  await service.pass(clock, 1 * SECOND);
  clock.move(16 * SECOND);
  if (evicts) await service.evict();
  expect(await service.health()).toEqual({});
});

test.for([
  { name: "in memory", evicts: false },
  { name: "after an eviction", evicts: true },
])(
  "D2, L5: without any alarm a read after a long absence finds everyone, $name",
  async ({ evicts }, { expect }) => {
    const service = await silentService();
    const before = await service.list();
    clock.move(1 * HOUR);
    if (evicts) await service.evict();
    expect(await service.list()).toEqual(before);
    await service.pass(clock, 15 * SECOND - 1);
    expect(await service.health()).toEqual(HEALTHY);
    await service.pass(clock, 1);
    expect(await service.health()).toEqual(UNHEALTHY);
  },
);

test("L5: an object that beats kept busy starts leases again when its wake-up came late", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register({ metadata: timings(5_000, 600_000, 900_000) });
  await service.pass(clock, 1 * SECOND);
  await service.hotBeat();
  clock.move(60 * SECOND);
  await service.fireAlarm();
  expect(await service.lastBeat()).toBe(clock.now());
});

test("L5: an object that was evicted learns from the alarm itself how late it is", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ metadata: timings(5_000, 600_000, 900_000) });
  await service.pass(clock, 1 * SECOND);
  await service.hotBeat();
  const scheduledTime = (await service.alarmAt()) ?? 0;
  await service.evict();
  clock.move(60 * SECOND);
  await runInDurableObject(service.stub, async (object, ctx) => {
    await ctx.storage.deleteAlarm();
    await object.alarm({ scheduledTime, isRetry: false, retryCount: 0 });
  });
  expect(await service.lastBeat()).toBe(clock.now());
});

test.for([
  { name: "a service that instances made", isKept: false },
  { name: "a service made by hand", isKept: true },
])("L5: in $name an override that waits begins its wait again", async ({ isKept }, { expect }) => {
  const service = new ServiceDriver();
  if (isKept) await service.create();
  await service.register();
  await service.patch({ weight: 9 });
  await service.pass(clock, 31 * SECOND);
  expect(await service.health()).toEqual({});
  clock.move(1 * HOUR);
  await service.list();
  await service.pass(clock, 50 * SECOND);
  await service.register();
  const found = await service.stub.getInstance(service.ref, { ip: "10.0.0.1", port: 80, clusterName: null });
  expect(found.ok && found.value.effective.weight).toBe(9);
});

test("L5, S4: an empty service is not taken away because the registry was away", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.deregister();
  await service.pass(clock, 1 * SECOND);
  clock.move(1 * HOUR);
  expect(await service.stub.getService(service.ref)).not.toBeNull();
  await service.pass(clock, 60 * SECOND);
  expect(await service.stub.getService(service.ref)).toBeNull();
});

test("L5: a persistent instance knows no lateness", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ ephemeral: false });
  await service.pass(clock, 1 * SECOND);
  expect(await service.alarmAt()).toBeNull();
  clock.move(100 * HOUR);
  expect(await service.health()).toEqual(HEALTHY);
  expect(await service.eventTypes()).toEqual(["registered"]);
});
