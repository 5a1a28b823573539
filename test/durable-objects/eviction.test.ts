import { test } from "vitest";
import { HOUR, ORIGIN, SECOND, ServiceDriver, timings, useManualClock } from "../support/objects.ts";

const clock = useManualClock();

const ADDRESS = { ip: "10.0.0.1", port: 80, clusterName: null };
const BATCH = { addresses: null, metadata: new Map([["zone", "b"]]) };
const SETTINGS = {
  protectThreshold: 0.5,
  metadata: new Map([["owner", "team"]]),
  selector: { type: "label", expression: "CONSUMER.label.a=PROVIDER.label.a", labels: ["a"] },
} as const;

type Write = { readonly name: string; readonly write: (service: ServiceDriver) => Promise<unknown> };

/** Every kind of write that an object answers, on a service with the instance 10.0.0.1:80 where nothing else is said. */
const WRITES: readonly Write[] = [
  { name: "a registration", write: (service) => service.register({ ip: "10.0.0.2" }) },
  {
    name: "a registration with everything",
    write: (service) =>
      service.register({
        ip: "fe80::1%eth0",
        port: 0,
        clusterName: "c-1",
        weight: 0.1,
        enabled: false,
        healthy: false,
        metadata: new Map([["__proto__", "x"], ["中", "文 \u0000 ☃"], ...timings(1_000, 5_000, 9_000)]),
      }),
  },
  {
    name: "a snowflake id",
    write: (service) =>
      service.register({
        ip: "10.0.0.2",
        metadata: new Map([["preserved.instance.id.generator", "snowflake"]]),
      }),
  },
  { name: "a changed registration", write: (service) => service.register({ weight: 7 }) },
  { name: "the same registration again", write: (service) => service.register() },
  { name: "a deregistration", write: (service) => service.deregister() },
  {
    name: "PUT",
    write: (service) =>
      service.stub.replaceInstance(
        service.ref,
        ADDRESS,
        { weight: 3, enabled: false, metadata: new Map([["a", "b"]]) },
        ORIGIN,
      ),
  },
  { name: "PATCH", write: (service) => service.patch({ metadata: new Map([["a", null]]) }) },
  {
    name: "a cleared override",
    write: async (service) => {
      await service.patch({ weight: 2, enabled: false });
      await service.stub.clearOverride(service.ref, ADDRESS, "weight", ORIGIN);
    },
  },
  { name: "a batch edit", write: (service) => service.stub.editMetadata(service.ref, BATCH, ORIGIN) },
  {
    name: "settings",
    write: (service) => service.stub.updateService(service.ref, SETTINGS, ORIGIN),
  },
  {
    name: "the deletion of a service",
    write: async (service) => {
      await service.deregister();
      await service.delete();
    },
  },
  {
    name: "a deleted service made again",
    write: async (service) => {
      await service.deregister();
      await service.delete();
      await service.create();
    },
  },
  {
    name: "protection",
    write: async (service) => {
      await service.stub.updateService(service.ref, { ...SETTINGS, protectThreshold: 1 }, ORIGIN);
      await service.register({ ip: "10.0.0.2", healthy: false });
    },
  },
  { name: "an instance gone silent", write: (service) => service.pass(clock, 16 * SECOND) },
  {
    name: "an expired instance whose override waits",
    write: async (service) => {
      await service.patch({ weight: 5 });
      await service.pass(clock, 31 * SECOND);
    },
  },
  {
    name: "leases that started again",
    write: async (service) => {
      clock.move(HOUR);
      await service.list();
    },
  },
];

test.for(WRITES)("D1: eviction after $name loses nothing", async ({ write }, { expect }) => {
  const service = new ServiceDriver();
  await service.register({ metadata: new Map([["a", "registered"]]) });
  await write(service);
  const before = await service.view();
  await service.evict();
  expect(await service.view()).toEqual(before);
  await service.evict();
  expect(await service.view()).toEqual(before);
});

test("D1: eviction between beats leaves no gap", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  for (let beat = 1; beat <= 12; beat++) {
    await service.pass(clock, 5 * SECOND);
    expect({ beat, status: await service.hotBeat() }).toEqual({ beat, status: 200 });
    await service.evict();
    expect({ beat, health: await service.health() }).toEqual({ beat, health: { "10.0.0.1": true } });
  }
  expect(await service.eventTypes()).toEqual(["registered"]);
});

test("D1: an override that waited for its instance comes back with it after an eviction", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register();
  await service.patch({ weight: 5 });
  await service.pass(clock, 31 * SECOND);
  await service.evict();
  await service.pass(clock, 20 * SECOND);
  await service.register();
  const found = await service.stub.getInstance(service.ref, ADDRESS);
  expect(found.ok && found.value.effective.weight).toBe(5);
});

test("D1: eviction before any write changes nothing", async ({ expect }) => {
  const service = new ServiceDriver();
  const before = await service.view();
  await service.evict();
  expect(await service.view()).toEqual(before);
});
