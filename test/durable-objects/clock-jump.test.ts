import { runInDurableObject } from "cloudflare:test";
import { test } from "vitest";
import { HOUR, SECOND, ServiceDriver, useManualClock } from "../support/objects.ts";

const clock = useManualClock();

const HEALTHY = { "10.0.0.1": true };
const UNHEALTHY = { "10.0.0.1": false };
const MEMORY = [
  { name: "in memory", evicts: false },
  { name: "after an eviction", evicts: true },
];

async function jump(service: ServiceDriver, milliseconds: number, evicts: boolean): Promise<void> {
  clock.move(milliseconds);
  if (evicts) await service.evict();
}

test.for(MEMORY)("L5: an hour's jump forward marks nobody, $name", async ({ evicts }, { expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 10 * SECOND);
  const before = await service.list();
  await jump(service, 1 * HOUR, evicts);
  expect(await service.list()).toEqual(before);
  await service.pass(clock, 14 * SECOND);
  expect(await service.health()).toEqual(HEALTHY);
  await service.pass(clock, 1 * SECOND);
  expect(await service.health()).toEqual(UNHEALTHY);
});

test.for(MEMORY)(
  "L7: an hour's jump back ends no lease early, and late by the jump at most, $name",
  async ({ evicts }, { expect }) => {
    const service = new ServiceDriver();
    await service.register();
    await service.pass(clock, 10 * SECOND);
    const before = await service.list();
    await jump(service, -1 * HOUR, evicts);
    expect(await service.list()).toEqual(before);
    await service.pass(clock, 5 * SECOND - 1);
    expect(await service.health()).toEqual(HEALTHY);
    await service.pass(clock, 1 * HOUR + 1);
    expect(await service.health()).not.toEqual(HEALTHY);
  },
);

test.for(MEMORY)(
  "L7: after a jump back beats go on to hold their leases, $name",
  async ({ evicts }, { expect }) => {
    const service = new ServiceDriver();
    await service.register();
    await service.pass(clock, 10 * SECOND);
    await jump(service, -1 * HOUR, evicts);
    for (let beat = 0; beat < 5; beat++) {
      await service.pass(clock, 5 * SECOND);
      expect(await service.hotBeat()).toBe(200);
      if (evicts) await service.evict();
    }
    expect(await service.health()).toEqual(HEALTHY);
    expect(await service.eventTypes()).toEqual(["registered"]);
  },
);

test.for(MEMORY)(
  "L7: forward an hour and back again is as if nothing had been, $name",
  async ({ evicts }, { expect }) => {
    const service = new ServiceDriver();
    await service.register();
    await service.hotBeat();
    await service.pass(clock, 5 * SECOND);
    await service.hotBeat();
    await jump(service, 1 * HOUR, evicts);
    await service.list();
    await jump(service, -1 * HOUR, evicts);
    await service.pass(clock, 15 * SECOND - 1);
    expect(await service.health()).toEqual(HEALTHY);
    await service.hotBeat();
    expect(await service.health()).toEqual(HEALTHY);
  },
);

test("V3: lastRefTime never goes back, and the revision goes on, when the clock jumps back", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register();
  const before = await service.list();
  await jump(service, -1 * HOUR, false);
  await service.register({ weight: 2 });
  const after = await service.list();
  expect(after).toMatchObject({ revision: before.revision + 1, lastRefTime: before.lastRefTime });
  await service.evict();
  expect(await service.list()).toEqual(after);
});

test("L7: a registration after a jump back starts a lease by the clock as it now is", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  await jump(service, -1 * HOUR, false);
  await service.register({ ip: "10.0.0.2" });
  await service.pass(clock, 15 * SECOND);
  expect(await service.health()).toEqual({ "10.0.0.1": true, "10.0.0.2": false });
});

test("S6: the catalogue is told of the last state within 5 s after a jump back, too", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.register({ ip: "10.0.0.2" });
  await jump(service, -1 * HOUR, false);
  await service.register({ ip: "10.0.0.3" });
  await service.pass(clock, 6 * SECOND);
  const rows = await service.rows("SELECT is_catalogue_due FROM service");
  expect(rows).toEqual([{ is_catalogue_due: 0 }]);
});

test("L4: each object reads the clock that it has, and none other", async ({ expect }) => {
  const [fast, slow] = [new ServiceDriver(), new ServiceDriver()];
  for (const service of [fast, slow]) {
    await service.register();
    await service.pass(clock, 1 * SECOND);
  }
  await runInDurableObject(fast.stub, (object) => {
    const started = clock.now();
    object.clock = () => started + 15 * SECOND;
  });
  expect(await fast.health()).toEqual(UNHEALTHY);
  expect(await slow.health()).toEqual(HEALTHY);
});
