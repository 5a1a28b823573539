import { test } from "vitest";
import type { GatheredBeat } from "../../shared/naming/gathered-beat.ts";
import { SECOND, ServiceDriver, timings, useManualClock } from "../support/objects.ts";

const clock = useManualClock();

function gathered(ip: string, ageMs: number, clusterName: string | null = null): GatheredBeat {
  return { ip, port: 80, clusterName, ageMs };
}

test("G2: a gathered beat counts from when it came", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  clock.move(10 * SECOND);
  expect(await service.stub.renewGathered(service.ref, [gathered("10.0.0.1", 400)])).toEqual([
    { beatIntervalMs: 5_000, leaseMs: 15_000 },
  ]);
  expect(await service.lastBeat()).toBe(clock.now() - 400);
  await service.pass(clock, 15 * SECOND - 401);
  expect(await service.health()).toEqual({ "10.0.0.1": true });
  await service.pass(clock, 1);
  expect(await service.health()).toEqual({ "10.0.0.1": false });
});

test("G2: a beat that came earlier does not turn a lease back, and no age is longer than a batch waits", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register();
  clock.move(5 * SECOND);
  await service.hotBeat();
  const straight = clock.now();
  await service.stub.renewGathered(service.ref, [gathered("10.0.0.1", 450)]);
  expect(await service.lastBeat()).toBe(straight);
  clock.move(5 * SECOND);
  await service.stub.renewGathered(service.ref, [gathered("10.0.0.1", 3_600_000)]);
  expect(await service.lastBeat()).toBe(clock.now() - 3_000);
});

test("G6: what is not plainly alive is answered null, and nothing happens to it", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ ip: "10.0.0.1" });
  await service.register({ ip: "10.0.0.2", healthy: false });
  await service.register({ ip: "10.0.0.4", clusterName: "A", metadata: timings(1_000, 6_000, 4_000) });
  const before = await service.view();
  const answers = await service.stub.renewGathered(service.ref, [
    gathered("10.0.0.2", 0),
    gathered("10.0.0.3", 0),
    gathered("10.0.0.1", 0),
    gathered("10.0.0.4", 0, "B"),
    gathered("10.0.0.4", 0),
  ]);
  expect(answers).toEqual([
    null,
    null,
    { beatIntervalMs: 5_000, leaseMs: 15_000 },
    null,
    { beatIntervalMs: 1_000, leaseMs: 4_000 },
  ]);
  expect(await service.view()).toEqual(before);
});

test("G6: a persistent instance is never renewed", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ ephemeral: false });
  expect(await service.stub.renewGathered(service.ref, [gathered("10.0.0.1", 0)])).toEqual([null]);
});

test("L6: gathered beats are in the checkpoint that a crash is recovered from", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  clock.move(6 * SECOND);
  await service.stub.renewGathered(service.ref, [gathered("10.0.0.1", 100)]);
  const beaten = clock.now() - 100;
  await service.evict();
  const recovered = await service.lastBeat();
  expect(recovered).toBeGreaterThanOrEqual(beaten);
  expect(recovered).toBeLessThanOrEqual(clock.now());
});

test("D5: beats for a service that is not there make nothing", async ({ expect }) => {
  const service = new ServiceDriver();
  expect(await service.stub.renewGathered(service.ref, [gathered("10.0.0.1", 0)])).toEqual([null]);
  expect(await service.alarmAt()).toBe(null);
});
