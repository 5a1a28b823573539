import { test } from "vitest";
import { ORIGIN, SECOND, ServiceDriver, useManualClock } from "../support/objects.ts";

const clock = useManualClock();

const ADDRESS = { ip: "10.0.0.1", port: 80, clusterName: null };

test("V2: the revision goes on over evictions, and when a service is deleted and made again", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  const revisions: number[] = [];
  const steps = [
    () => service.register(),
    () => service.patch({ weight: 2 }),
    () => service.deregister(),
    () => service.delete(),
    () => service.register({ ip: "10.0.0.2" }),
    () => service.register({ ip: "10.0.0.2", weight: 3 }),
  ];
  for (const step of steps) {
    await step();
    revisions.push((await service.list()).revision);
    await service.evict();
  }
  expect(revisions).toEqual([1, 2, 3, 4, 5, 6]);
});

test("B5: a full beat is held off after an eviction too", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.deregister();
  await service.evict();
  clock.move(4 * SECOND);
  expect(await service.fullBeat()).toBe(20_404);
  await service.evict();
  clock.move(1 * SECOND);
  expect(await service.fullBeat()).toBe(10_200);
});

test("B5: a registration ends the hold, over an eviction too", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ clusterName: "a" });
  await service.deregister();
  await service.register({ clusterName: "a" });
  await service.evict();
  clock.move(1 * SECOND);
  expect(await service.fullBeat()).toBe(10_200);
  expect((await service.list()).hosts.map(({ clusterName }) => clusterName)).toEqual(["a"]);
});

test("I9: an instance keeps its snowflake id, and no two meet, over evictions", async ({ expect }) => {
  const service = new ServiceDriver();
  const metadata = new Map([["preserved.instance.id.generator", "snowflake"]]);
  await service.register({ metadata });
  const [first] = await service.stub.getInstances(service.ref);
  await service.evict();
  await service.register({ metadata, weight: 2 });
  await service.register({ metadata, ip: "10.0.0.2" });
  const [again, second] = await service.stub.getInstances(service.ref);
  expect(again?.instanceId).toBe(first?.instanceId);
  expect(second?.instanceId).not.toBe(first?.instanceId);
});

test("C1, D1: settings of a cluster are there after an eviction, and go with the service", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.create();
  const healthChecker = { type: "MYSQL", user: "u", pwd: "secret", cmd: "SELECT 1" } as const;
  const settings = {
    healthChecker,
    checkPort: 3306,
    usesInstancePort: false,
    metadata: new Map([["a", "b"]]),
  };
  await service.stub.updateCluster(service.ref, "c-1", settings, ORIGIN);
  await service.evict();
  await service.register({ clusterName: "c-1" });
  const clusters = async (): Promise<unknown> => (await service.stub.getService(service.ref))?.clusters;
  expect(await clusters()).toEqual([{ name: "c-1", ...settings }]);
  await service.deregister();
  await service.delete();
  await service.evict();
  await service.register({ clusterName: "c-1" });
  expect(await clusters()).toMatchObject([{ name: "c-1", healthChecker: { type: "TCP" }, checkPort: 80 }]);
});

test("C3, D1: health set by hand is there after an eviction", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ ephemeral: false });
  const settings = {
    healthChecker: { type: "NONE" },
    checkPort: 80,
    usesInstancePort: true,
    metadata: new Map(),
  } as const;
  await service.stub.updateCluster(service.ref, "DEFAULT", settings, ORIGIN);
  await service.stub.setHealth(service.ref, ADDRESS, false, ORIGIN);
  await service.evict();
  expect(await service.health()).toEqual({ "10.0.0.1": false });
});
