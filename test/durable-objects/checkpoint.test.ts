import { test } from "vitest";
import { countWrites, SECOND, ServiceDriver, useManualClock } from "../support/objects.ts";

const clock = useManualClock();
let start: number;

const HEALTHY = { "10.0.0.1": true };

/** A service whose instance has beaten once, `start` milliseconds on the clock. */
async function beatenService(): Promise<ServiceDriver> {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  start = clock.now();
  await service.hotBeat();
  return service;
}

async function checkpoint(service: ServiceDriver): Promise<unknown> {
  const [row] = await service.rows("SELECT at, is_exact FROM checkpoint");
  return row === undefined ? null : { after: Number(row["at"]) - start, isExact: row["is_exact"] === 1 };
}

test("L6: the first beat writes a checkpoint, and the next one that finds it five seconds old", async ({
  expect,
}) => {
  const service = await beatenService();
  expect(await checkpoint(service)).toEqual({ after: 0, isExact: false });
  const written = await countWrites(service.stub);
  for (const second of [1, 2, 3, 4]) {
    clock.move(1 * SECOND);
    await service.hotBeat();
    expect({ second, written: written() }).toEqual({ second, written: [] });
  }
  clock.move(1 * SECOND);
  await service.hotBeat();
  expect(written()).toHaveLength(1);
  expect(await checkpoint(service)).toEqual({ after: 5 * SECOND, isExact: false });
});

test("L6: one checkpoint holds the clocks of all instances", async ({ expect }) => {
  const service = new ServiceDriver();
  const ips = Array.from({ length: 20 }, (_, index) => `10.0.0.${index + 1}`);
  for (const ip of ips) await service.register({ ip });
  await service.pass(clock, 1 * SECOND);
  const written = await countWrites(service.stub);
  for (const ip of ips) await service.hotBeat(ip);
  expect(written()).toHaveLength(1);
  clock.move(6 * SECOND);
  for (const ip of ips) await service.hotBeat(ip);
  expect(written()).toHaveLength(2);
});

test("L6: registrations alone write no checkpoint", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.register({ ip: "10.0.0.2" });
  expect(await service.rows("SELECT * FROM checkpoint")).toEqual([]);
});

/** Moments after the checkpoint at which a beat comes that is in memory only. */
const UNSTORED = [0, 1, 2_500, 4_999];

test.for(UNSTORED)(
  "L6: a beat %i ms after the checkpoint is known after an eviction at once",
  async (after, { expect }) => {
    const service = await beatenService();
    clock.move(after);
    await service.hotBeat();
    await service.evict();
    expect(await service.lastBeat()).toBe(start + after);
  },
);

test.for(UNSTORED)(
  "L6: eviction while busy ends no lease early, beat %i ms after the checkpoint",
  async (after, { expect }) => {
    const service = await beatenService();
    clock.move(after);
    await service.hotBeat();
    await service.pass(clock, 7 * SECOND - after);
    await service.evict();
    expect(await service.lastBeat()).toBe(start + 5 * SECOND);
    await service.pass(clock, after + 8 * SECOND - 1);
    expect(await service.health()).toEqual(HEALTHY);
  },
);

test("L6: eviction while busy ends a lease late by five seconds at most", async ({ expect }) => {
  const service = await beatenService();
  await service.pass(clock, 7 * SECOND);
  await service.evict();
  await service.pass(clock, 13 * SECOND - 1);
  expect(await service.health()).toEqual(HEALTHY);
  await service.pass(clock, 1);
  expect(await service.health()).toEqual({ "10.0.0.1": false });
});

test("L6: when beats stop an exact checkpoint is written, and eviction then costs nothing", async ({
  expect,
}) => {
  const service = await beatenService();
  clock.move(3 * SECOND);
  await service.hotBeat();
  await service.pass(clock, 13 * SECOND);
  expect(await checkpoint(service)).toMatchObject({ isExact: true });
  await service.evict();
  expect(await service.lastBeat()).toBe(start + 3 * SECOND);
  await service.pass(clock, 2 * SECOND - 1);
  expect(await service.health()).toEqual(HEALTHY);
  await service.pass(clock, 1);
  expect(await service.health()).toEqual({ "10.0.0.1": false });
});

test("L6: the exact checkpoint is written although the object was evicted while beats came", async ({
  expect,
}) => {
  const service = await beatenService();
  await service.evict();
  await service.pass(clock, 14 * SECOND);
  expect(await checkpoint(service)).toMatchObject({ isExact: true });
  expect(await service.lastBeat()).toBe(start + 5 * SECOND);
});

test("L6: beats that begin again after a sleep make the checkpoint inexact at once", async ({ expect }) => {
  const service = await beatenService();
  await service.pass(clock, 10 * SECOND);
  expect(await checkpoint(service)).toMatchObject({ isExact: true });
  await service.hotBeat();
  expect(await checkpoint(service)).toEqual({ after: 10 * SECOND, isExact: false });
  await service.evict();
  expect(await service.lastBeat()).toBe(start + 10 * SECOND);
});

test("L4, L6: an instance that is registered after the checkpoint has its own clock after an eviction", async ({
  expect,
}) => {
  const service = await beatenService();
  await service.pass(clock, 4 * SECOND);
  await service.register({ ip: "10.0.0.2" });
  await service.pass(clock, 12 * SECOND);
  await service.evict();
  expect(await service.lastBeat("10.0.0.2")).toBeGreaterThanOrEqual(start + 4 * SECOND);
  expect(await service.lastBeat("10.0.0.1")).toBeGreaterThanOrEqual(start);
});

test("L6: an unhealthy instance does not come back by an eviction", async ({ expect }) => {
  const service = await beatenService();
  await service.register({ ip: "10.0.0.2" });
  for (let beat = 0; beat < 3; beat++) {
    await service.pass(clock, 5 * SECOND);
    await service.hotBeat();
  }
  await service.pass(clock, 1 * SECOND);
  expect(await service.health()).toEqual({ "10.0.0.1": true, "10.0.0.2": false });
  await service.evict();
  expect(await service.health()).toEqual({ "10.0.0.1": true, "10.0.0.2": false });
  await service.pass(clock, 14 * SECOND);
  expect(Object.keys(await service.health())).toEqual(["10.0.0.1"]);
});

test("L6: an operator's edit between beats moves no clock", async ({ expect }) => {
  const service = await beatenService();
  clock.move(2 * SECOND);
  await service.patch({ weight: 3 });
  expect(await service.lastBeat()).toBe(start);
});
