import { runInDurableObject } from "cloudflare:test";
import { test } from "vitest";
import { HOUR, ORIGIN, ServiceDriver, useManualClock } from "../../support/objects.ts";

const clock = useManualClock();

const ADDRESS = { ip: "10.0.0.1", port: 80, clusterName: null };

/** Edits the one instance of a service, so that each edit is one event. */
async function edit(service: ServiceDriver, from: number, to: number): Promise<void> {
  await runInDurableObject(service.stub, async (object) => {
    for (let weight = from; weight <= to; weight++) {
      await object.patchInstance(service.ref, ADDRESS, { weight }, ORIGIN);
    }
  });
}

async function stored(service: ServiceDriver): Promise<unknown> {
  const [row] = await service.rows(
    "SELECT COUNT(*) AS count, MIN(seq) AS oldest, MAX(seq) AS newest FROM event",
  );
  return row;
}

test("E2: a service keeps its last thousand events, and few more in storage", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ ephemeral: false });
  await edit(service, 2, 1_000);
  expect(await stored(service)).toEqual({ count: 1_000, oldest: 1, newest: 1_000 });
  await edit(service, 1_001, 1_099);
  expect(await stored(service)).toMatchObject({ newest: 1_099 });
  const page = await service.stub.getEvents(service.ref, 0, 1_000);
  expect([page.events.length, page.events[0]?.seq, page.events.at(-1)?.seq, page.next]).toEqual([
    1_000, 1_099, 100, 1_099,
  ]);
  await edit(service, 1_100, 1_100);
  expect(await stored(service)).toEqual({ count: 1_000, oldest: 101, newest: 1_100 });
  await service.evict();
  await edit(service, 1_101, 1_101);
  expect(await stored(service)).toMatchObject({ newest: 1_101 });
});

test("E2: an event of more than seven days is told no more, and deleted with the next hundred", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register({ ephemeral: false });
  await edit(service, 2, 50);
  clock.move(7 * 24 * HOUR);
  expect((await service.stub.getEvents(service.ref, 0, 1_000)).events).toHaveLength(50);
  clock.move(1);
  expect(await service.stub.getEvents(service.ref, 0, 1_000)).toEqual({ events: [], next: 50 });
  expect((await service.stub.explain(service.ref, ADDRESS)).events).toEqual([]);
  await edit(service, 51, 100);
  expect(await stored(service)).toEqual({ count: 50, oldest: 51, newest: 100 });
});

test("E3: events are told newest first, after a seq, as many as are asked for", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ ephemeral: false });
  await edit(service, 2, 30);
  const ask = async (after: number, limit: number): Promise<unknown> => {
    const page = await service.stub.getEvents(service.ref, after, limit);
    return { seqs: page.events.map(({ seq }) => seq), next: page.next };
  };
  expect(await ask(0, 3)).toEqual({ seqs: [30, 29, 28], next: 30 });
  expect(await ask(27, 100)).toEqual({ seqs: [30, 29, 28], next: 30 });
  expect(await ask(30, 100)).toEqual({ seqs: [], next: 30 });
  expect(await ask(Number.MAX_SAFE_INTEGER, 1)).toEqual({ seqs: [], next: 30 });
  await service.evict();
  expect(await ask(0, 1)).toEqual({ seqs: [30], next: 30 });
});

test("E2: more than a thousand transitions in one change keep the last thousand", async ({ expect }) => {
  const service = new ServiceDriver();
  await runInDurableObject(service.stub, async (object) => {
    for (let index = 0; index < 1_050; index++) {
      const at = { ip: `10.0.${index >> 8}.${index & 255}`, port: 80, clusterName: "DEFAULT" };
      const values = { weight: 1, enabled: true, healthy: true, ephemeral: true, metadata: new Map() };
      await object.register(service.ref, { ...at, ...values }, ORIGIN);
    }
  });
  await service.pass(clock, 15_000);
  const types = await service.eventTypes();
  expect(types).toEqual(types.map(() => "unhealthy"));
  expect(await stored(service)).toMatchObject({ newest: 2_100 });
  await service.evict();
  expect((await service.stub.getEvents(service.ref, 0, 1_000)).next).toBe(2_100);
  expect(await service.eventTypes()).toHaveLength(1_000);
});
