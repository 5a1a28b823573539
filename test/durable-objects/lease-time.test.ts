import { test } from "vitest";
import { SECOND, ServiceDriver, timings } from "../support/objects.ts";

/** Waits until something holds; answers how long that took, in milliseconds. */
async function waitFor(holds: () => Promise<boolean>, deadline: number): Promise<number> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > deadline) throw new Error(`Nothing after ${deadline} ms`);
    await scheduler.wait(20);
  }
  return performance.now() - start;
}

// These run by the real clock and the platform's own alarms; storage is read past the object, so that no request helps.
test("L3: flip and removal come within a second of their time with no request", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ metadata: timings(500, 1_000, 2_000) });
  const [registered] = await service.rows("SELECT time FROM event WHERE type = 'registered'");
  await waitFor(
    async () => (await service.rows("SELECT * FROM event WHERE type = 'expired'")).length > 0,
    8 * SECOND,
  );
  const events = await service.rows("SELECT type, time FROM event ORDER BY seq");
  const after = events.map(({ type, time }) => ({
    type,
    after: Number(time) - Number(registered?.["time"]),
  }));
  expect(after.map(({ type }) => type)).toEqual(["registered", "unhealthy", "expired"]);
  const [, flip, removal] = after.map((event) => event.after);
  expect(flip).toBeGreaterThanOrEqual(1_000);
  expect(flip).toBeLessThan(2_000);
  expect(removal).toBeGreaterThanOrEqual(2_000);
  expect(removal).toBeLessThan(3_000);
});

test("L3, L6: the alarm of an object that was evicted while it was beaten comes all the same", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register({ metadata: timings(500, 1_000, 60_000) });
  await service.hotBeat();
  await service.evict();
  const took = await waitFor(
    async () => (await service.rows("SELECT * FROM instance WHERE healthy = 0")).length > 0,
    9 * SECOND,
  );
  expect(took).toBeLessThan(1_000 + 5_000 + 1_000);
}, 15_000);

test("S6: the catalogue is told of the last state within five seconds with no request", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register();
  for (let index = 2; index <= 10; index++) await service.register({ ip: `10.0.0.${index}` });
  const took = await waitFor(
    async () => (await service.rows("SELECT * FROM service WHERE is_catalogue_due = 0")).length > 0,
    8 * SECOND,
  );
  expect(took).toBeLessThan(6 * SECOND);
}, 15_000);
