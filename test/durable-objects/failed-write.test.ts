import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, test, vi } from "vitest";
import {
  breakWrites,
  ORIGIN,
  SECOND,
  ServiceDriver,
  startClock,
  stopClock,
  tablesOf,
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

const OLD = { ip: "10.0.0.1", port: 80, clusterName: null };

interface Broken {
  readonly name: string;
  /** How the statement begins that throws. */
  readonly statement: string;
  readonly write: (service: ServiceDriver) => Promise<unknown>;
}

const PUT_RECORD = "INSERT OR REPLACE INTO service";
const PUT_INSTANCE = "INSERT OR REPLACE INTO instance";
const PUT_EVENT = "INSERT INTO event";

const WRITES: readonly Broken[] = [
  {
    name: "a registration at its record",
    statement: PUT_RECORD,
    write: (it) => it.register({ ip: "10.0.0.2" }),
  },
  {
    name: "a registration at its row",
    statement: PUT_INSTANCE,
    write: (it) => it.register({ ip: "10.0.0.2" }),
  },
  {
    name: "a registration at its event",
    statement: PUT_EVENT,
    write: (it) => it.register({ ip: "10.0.0.2" }),
  },
  { name: "a changed registration", statement: PUT_EVENT, write: (it) => it.register({ weight: 5 }) },
  { name: "a deregistration at its row", statement: "DELETE FROM instance", write: (it) => it.deregister() },
  { name: "a deregistration at its event", statement: PUT_EVENT, write: (it) => it.deregister() },
  { name: "PATCH", statement: PUT_EVENT, write: (it) => it.patch({ weight: 5, enabled: false }) },
  {
    name: "PUT",
    statement: PUT_EVENT,
    write: async (it) => await it.stub.replaceInstance(it.ref, OLD, { metadata: new Map() }, ORIGIN),
  },
  {
    name: "a batch edit",
    statement: PUT_EVENT,
    write: async (it) =>
      await it.stub.editMetadata(it.ref, { addresses: null, metadata: new Map([["a", "b"]]) }, ORIGIN),
  },
  { name: "a full beat", statement: PUT_EVENT, write: (it) => it.fullBeat("10.0.0.2") },
];

test.for(WRITES)(
  "D4: $name that throws leaves all as it was, and the next try does the whole",
  async (row, { expect }) => {
    const [broken, sound] = [new ServiceDriver(), new ServiceDriver()];
    for (const service of [broken, sound]) await service.register();
    const before = await broken.view();
    await breakWrites(broken.stub, row.statement);
    await expect(row.write(broken)).rejects.toThrow("disk I/O error");
    expect(await broken.view()).toEqual(before);
    await broken.evict();
    expect(await broken.view()).toEqual(before);
    await row.write(broken);
    await row.write(sound);
    const [retried, atOnce] = await Promise.all([broken.list(), sound.list()]);
    expect(retried.revision).toBe(atOnce.revision);
    expect(await broken.eventTypes()).toEqual(await sound.eventTypes());
    const after = await broken.view();
    await broken.evict();
    expect(await broken.view()).toEqual(after);
  },
);

test.for([
  { name: "its first table", statement: "CREATE TABLE service" },
  { name: "its last table", statement: "CREATE TABLE event" },
  { name: "the note of its migration", statement: "INSERT INTO migration" },
  { name: "its first row", statement: PUT_RECORD },
  { name: "its first event", statement: PUT_EVENT },
])("D4: a first registration that fails at $name makes no service", async ({ statement }, { expect }) => {
  const service = new ServiceDriver();
  await breakWrites(service.stub, statement);
  await expect(service.register()).rejects.toThrow("disk I/O error");
  expect(await service.list()).toMatchObject({ revision: 0, hosts: [] });
  expect(await service.stub.getService(service.ref)).toBeNull();
  expect(await service.register()).toEqual({ ok: true, value: null });
  await service.evict();
  expect(await service.list()).toMatchObject({ revision: 1, hosts: [{ ip: "10.0.0.1" }] });
  expect(await service.eventTypes()).toEqual(["registered"]);
});

test("D4, D5: a first registration whose migration fails leaves no table", async ({ expect }) => {
  const service = new ServiceDriver();
  await breakWrites(service.stub, "CREATE TABLE event");
  await expect(service.register()).rejects.toThrow("disk I/O error");
  expect(await tablesOf(service.stub)).toEqual([]);
});

test("D4: a flip that cannot be stored is shown to nobody and done by the next read", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  const before = await service.rows("SELECT * FROM instance");
  clock.move(14 * SECOND);
  await breakWrites(service.stub, PUT_EVENT);
  await expect(service.listText()).rejects.toThrow("disk I/O error");
  expect(await service.rows("SELECT * FROM instance")).toEqual(before);
  expect(await service.list()).toMatchObject({ revision: 2, hosts: [{ healthy: false }] });
});

test("D4: an alarm that cannot store its work tries again, with growing pauses", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  const repair = await breakWrites(service.stub, PUT_EVENT, Number.POSITIVE_INFINITY);
  clock.move(14 * SECOND);
  const pauses: number[] = [];
  for (let tries = 0; tries < 8; tries++) {
    await service.fireAlarm();
    pauses.push(((await service.alarmAt()) ?? 0) - clock.now());
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * SECOND));
  await repair();
  await service.fireAlarm();
  expect(await service.rows("SELECT healthy FROM instance")).toEqual([{ healthy: 0 }]);
});

test("D4: a beat whose checkpoint cannot be written is an error, and the next one writes it", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  await breakWrites(service.stub, "INSERT OR REPLACE INTO checkpoint");
  await expect(service.hotBeat()).rejects.toThrow("disk I/O error");
  expect(await service.rows("SELECT * FROM checkpoint")).toEqual([]);
  expect(await service.hotBeat()).toBe(200);
  expect(await service.rows("SELECT at, is_exact FROM checkpoint")).toEqual([
    { at: clock.now(), is_exact: 0 },
  ]);
});

test("D4: a beat that was answered with an error starts no lease", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  const before = await service.lastBeat();
  await breakWrites(service.stub, "INSERT OR REPLACE INTO checkpoint");
  await expect(service.hotBeat()).rejects.toThrow("disk I/O error");
  expect(await service.lastBeat()).toBe(before);
});

test("D4: an exact checkpoint that cannot be written is tried again", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.hotBeat();
  await service.pass(clock, 7 * SECOND);
  await breakWrites(service.stub, "INSERT OR REPLACE INTO checkpoint");
  await service.pass(clock, 5 * SECOND);
  expect(await service.rows("SELECT is_exact FROM checkpoint")).toEqual([{ is_exact: 1 }]);
});

test("D4: a whole transaction that the platform refuses changes nothing", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.create();
  const before = await service.view();
  await runInDurableObject(service.stub, (_object, { storage }) => {
    storage.transactionSync = () => {
      throw new Error("the storage is full");
    };
  });
  await expect(service.register()).rejects.toThrow("the storage is full");
  expect(await service.view()).toEqual(before);
  await runInDurableObject(service.stub, (_object, { storage }) => {
    Reflect.deleteProperty(storage, "transactionSync");
  });
  expect(await service.register()).toEqual({ ok: true, value: null });
});

test("D4: a catalogue that cannot store an entry is told it again", async ({ expect }) => {
  const service = new ServiceDriver();
  const namespace = env.NAMESPACE.getByName(service.ref.namespaceId);
  await breakWrites(namespace, "INSERT OR REPLACE INTO service");
  await service.register();
  expect((await namespace.page({ groupName: null, offset: 0, limit: 10 })).entries).toMatchObject([
    { ipCount: 1 },
  ]);
});
