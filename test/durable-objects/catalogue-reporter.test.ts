import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, test, vi } from "vitest";
import { DEFAULT_SETTINGS } from "../../shared/naming/service.ts";
import {
  breakWrites,
  catalogueOf,
  ORIGIN,
  SECOND,
  ServiceDriver,
  startClock,
  stopClock,
  type ManualClock,
} from "../support/objects.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = stopClock();
  // The faults that these tests cause are logged; what matters of them is asserted.
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  startClock();
  vi.restoreAllMocks();
});

/** How many instances the catalogue tells of the one service of a namespace; `null` when it tells of none. */
async function counted(service: ServiceDriver): Promise<number | null> {
  const [entry] = await catalogueOf(service.ref.namespaceId);
  return entry?.ipCount ?? null;
}

/** Makes every write of the catalogue fail; answers how to end that. */
async function breakCatalogue(service: ServiceDriver): Promise<() => Promise<void>> {
  return breakWrites(
    env.NAMESPACE.getByName(service.ref.namespaceId),
    "INSERT OR REPLACE INTO service",
    Number.POSITIVE_INFINITY,
  );
}

test("S6: the whole entry is in the catalogue when the first registration is answered", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register({ healthy: false });
  expect(await catalogueOf(service.ref.namespaceId)).toEqual([
    {
      ref: service.ref,
      clusterCount: 1,
      ipCount: 1,
      healthyInstanceCount: 0,
      triggerFlag: false,
      revision: 1,
    },
  ]);
});

test("S6: making and deleting a service by hand is in the catalogue at once", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.create();
  expect(await counted(service)).toBe(0);
  await service.delete();
  expect(await counted(service)).toBeNull();
  await service.create();
  expect(await counted(service)).toBe(0);
});

test("S6: deletion is in the catalogue at once after an eviction, too", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.create();
  await service.evict();
  await service.delete();
  expect(await counted(service)).toBeNull();
});

test("S6: other changes are merged, and the last is told within five seconds", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  for (let index = 2; index <= 20; index++) {
    await service.register({ ip: `10.0.0.${index}` });
    clock.move(100);
  }
  expect(await counted(service)).toBe(1);
  await service.pass(clock, 5 * SECOND);
  expect(await counted(service)).toBe(20);
});

test("S6: a change after a quiet time is told by the alarm that comes next", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 10 * SECOND);
  await service.register({ ip: "10.0.0.2", clusterName: "b" });
  await service.pass(clock, 1 * SECOND);
  expect(await catalogueOf(service.ref.namespaceId)).toMatchObject([
    { clusterCount: 2, ipCount: 2, healthyInstanceCount: 2, revision: 2 },
  ]);
});

test("S6: what had still to be told is told after an eviction", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.register({ ip: "10.0.0.2" });
  await service.evict();
  expect(await counted(service)).toBe(1);
  await service.pass(clock, 5 * SECOND);
  expect(await counted(service)).toBe(2);
});

test("S6: flips, removals and protection are told", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.stub.createService(service.ref, { ...DEFAULT_SETTINGS, protectThreshold: 0.4 }, ORIGIN);
  await service.register();
  await service.register({
    ip: "10.0.0.2",
    ephemeral: true,
    metadata: new Map([["preserved.heart.beat.timeout", "25000"]]),
  });
  await service.pass(clock, 20 * SECOND);
  expect(await catalogueOf(service.ref.namespaceId)).toMatchObject([
    { ipCount: 2, healthyInstanceCount: 1, triggerFlag: false },
  ]);
  await service.pass(clock, 11 * SECOND);
  expect(await catalogueOf(service.ref.namespaceId)).toMatchObject([
    { ipCount: 2, healthyInstanceCount: 0, triggerFlag: true },
  ]);
});

test("S4, S6: a service that goes by itself goes from the catalogue", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.deregister();
  await service.pass(clock, 59 * SECOND);
  expect(await counted(service)).toBe(0);
  await service.pass(clock, 6 * SECOND);
  expect(await counted(service)).toBeNull();
});

test("S6: a catalogue that failed once is told before the answer all the same", async ({ expect }) => {
  const service = new ServiceDriver();
  await breakWrites(env.NAMESPACE.getByName(service.ref.namespaceId), "INSERT OR REPLACE INTO service");
  await service.register();
  expect(await counted(service)).toBe(1);
});

test("S6: a catalogue that is down fails no registration, and is told when it is back", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  const repair = await breakCatalogue(service);
  expect(await service.register()).toEqual({ ok: true, value: null });
  expect(await counted(service)).toBeNull();
  await service.pass(clock, 12 * SECOND);
  expect(await counted(service)).toBeNull();
  await repair();
  await service.pass(clock, 5 * SECOND);
  expect(await counted(service)).toBe(1);
});

test("S6: the object that was evicted while the catalogue was down tells it too", async ({ expect }) => {
  const service = new ServiceDriver();
  const repair = await breakCatalogue(service);
  await service.register();
  await service.register({ ip: "10.0.0.2" });
  await service.evict();
  await repair();
  await service.pass(clock, 5 * SECOND);
  expect(await counted(service)).toBe(2);
});

test("S6: a deletion that the catalogue missed is told when it is back", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.create();
  const namespace = env.NAMESPACE.getByName(service.ref.namespaceId);
  const repair = await breakWrites(namespace, "DELETE FROM service", Number.POSITIVE_INFINITY);
  await service.delete();
  await repair();
  await service.pass(clock, 6 * SECOND);
  expect(await counted(service)).toBeNull();
});

test("S6: an evicted catalogue keeps what it was told", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  const before = await catalogueOf(service.ref.namespaceId);
  await evictDurableObject(env.NAMESPACE.getByName(service.ref.namespaceId));
  expect(await catalogueOf(service.ref.namespaceId)).toEqual(before);
});

test.for([
  { name: "making and deleting", last: "delete", steps: ["create", "delete"] },
  { name: "making, deleting and making again", last: "create", steps: ["create", "delete", "create"] },
] as const)("S6: $name at once ends with the last in the catalogue", async ({ steps, last }, { expect }) => {
  const service = new ServiceDriver();
  await Promise.all(steps.map((step) => service[step]()));
  expect(await counted(service)).toBe(last === "create" ? 0 : null);
});
