import { env } from "cloudflare:workers";
import { test } from "vitest";
import { beatCallUrl, listCallUrl, NOT_RENEWED_STATUS } from "../../shared/hot-call.ts";
import { catalogueOf, ORIGIN, registration, ServiceDriver, tablesOf } from "../support/objects.ts";

const ADDRESS = { ip: "10.0.0.1", port: 80, clusterName: null };

test("D3: a hundred first registrations at once make one service with a hundred instances", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  const ips = Array.from({ length: 100 }, (_, index) => `10.0.1.${index}`);
  const answers = await Promise.all(ips.map((ip) => service.register({ ip })));
  expect(answers).toEqual(ips.map(() => ({ ok: true, value: null })));
  const { hosts, revision } = await service.list();
  expect(hosts.map(({ ip }) => ip)).toEqual(ips);
  expect(revision).toBe(100);
  expect((await catalogueOf(service.ref.namespaceId)).map(({ ref }) => ref)).toEqual([service.ref]);
  await service.evict();
  expect((await service.list()).hosts).toHaveLength(100);
});

test("D3: one registration sent a hundred times at once makes one instance and one revision", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await Promise.all(Array.from({ length: 100 }, () => service.register()));
  expect(await service.list()).toMatchObject({ revision: 1, hosts: [{ ip: "10.0.0.1" }] });
  expect(await service.eventTypes()).toEqual(["registered"]);
});

test("D3: first registrations of both kinds at once leave one kind", async ({ expect }) => {
  const service = new ServiceDriver();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      service.stub.register(
        service.ref,
        registration({ ip: `10.0.1.${index}`, ephemeral: index % 2 === 0 }),
        ORIGIN,
      ),
    ),
  );
  const instances = await service.stub.getInstances(service.ref);
  expect(new Set(instances.map(({ ephemeral }) => ephemeral)).size).toBe(1);
  expect(instances).toHaveLength(answers.filter(({ ok }) => ok).length);
  expect(instances).toHaveLength(10);
});

interface Look {
  readonly name: string;
  readonly look: (service: ServiceDriver) => Promise<unknown>;
}

const LOOKS: readonly Look[] = [
  { name: "a list", look: (it) => it.listText() },
  { name: "the detail", look: async (it) => await it.stub.getInstance(it.ref, ADDRESS) },
  { name: "statuses", look: async (it) => await it.stub.getInstances(it.ref) },
  { name: "the service", look: async (it) => await it.stub.getService(it.ref) },
  { name: "events", look: async (it) => await it.stub.getEvents(it.ref, 0, 10) },
  { name: "why", look: async (it) => await it.stub.explain(it.ref, ADDRESS) },
  { name: "a light beat", look: (it) => it.beat() },
  { name: "a hot beat", look: (it) => it.hotBeat() },
  { name: "a deregistration", look: (it) => it.deregister() },
  { name: "an edit", look: (it) => it.patch({ weight: 2 }) },
  {
    name: "PUT",
    look: async (it) => await it.stub.replaceInstance(it.ref, ADDRESS, { weight: 2 }, ORIGIN),
  },
  {
    name: "a batch edit",
    look: async (it) =>
      await it.stub.editMetadata(it.ref, { addresses: null, metadata: new Map([["a", "b"]]) }, ORIGIN),
  },
  {
    name: "the end of an override",
    look: async (it) => await it.stub.clearOverride(it.ref, ADDRESS, undefined, ORIGIN),
  },
  { name: "a deletion", look: (it) => it.delete() },
  {
    name: "a refused registration",
    look: (it) => it.register({ metadata: new Map([["preserved.heart.beat.timeout", "1"]]) }),
  },
  {
    name: "a refused full beat",
    look: (it) =>
      it.beat({ registration: registration({ metadata: new Map([["preserved.ip.delete.timeout", "1"]]) }) }),
  },
];

test.for(LOOKS)(
  "D5: $name of a service that never was leaves nothing in storage",
  async ({ look }, { expect }) => {
    const service = new ServiceDriver();
    await look(service);
    expect(await tablesOf(service.stub)).toEqual([]);
    expect(await service.alarmAt()).toBeNull();
    await service.evict();
    await look(service);
    expect(await tablesOf(service.stub)).toEqual([]);
    expect(await tablesOf(env.NAMESPACE.getByName(service.ref.namespaceId))).toEqual([]);
  },
);

test("V6: the list of a service that is not there is whole, with no hosts", async ({ expect }) => {
  const service = new ServiceDriver();
  const name = `DEFAULT_GROUP@@${service.ref.serviceName}`;
  const list: { lastRefTime: unknown } = JSON.parse(await service.listText());
  expect(list).toEqual({
    name,
    groupName: "DEFAULT_GROUP",
    clusters: "",
    cacheMillis: 10_000,
    hosts: [],
    lastRefTime: list.lastRefTime,
    checksum: "0",
    allIPs: false,
    reachProtectionThreshold: false,
    valid: true,
    revision: 0,
    dom: name,
    useSpecifiedURL: false,
    env: "",
    metadata: {},
  });
});

test("V7: a write is seen by the very next read", async ({ expect }) => {
  const service = new ServiceDriver();
  for (let weight = 1; weight <= 20; weight++) {
    await service.register({ weight });
    const found = await service.stub.getInstance(service.ref, ADDRESS);
    expect(JSON.parse(await service.listText()).hosts).toMatchObject([{ weight }]);
    expect(found.ok && found.value.effective.weight).toBe(weight);
  }
});

test("V5: a list is rendered once for a revision and a query, and never shown to another", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register({ clusterName: "a" });
  await service.register({ clusterName: "b", healthy: false });
  const queries = ["", "a", "b", "a,b", "c"].flatMap((clusters) =>
    [false, true].map((healthyOnly) => ({ clusters, healthyOnly })),
  );
  const read = (): Promise<string[]> =>
    Promise.all(
      queries.map(async ({ clusters, healthyOnly }) =>
        (await service.stub.fetch(listCallUrl(service.ref, clusters, healthyOnly))).text(),
      ),
    );
  const first = await read();
  expect(await read()).toEqual(first);
  expect(new Set(first).size).toBe(queries.length);
  for (let index = 0; index < 200; index++) {
    await (await service.stub.fetch(listCallUrl(service.ref, `x${index}`, false))).text();
  }
  expect(await read()).toEqual(first);
});

test.for([
  { name: "an unknown instance", prepare: async () => {} },
  { name: "an unhealthy instance", prepare: (it: ServiceDriver) => it.register({ healthy: false }) },
  { name: "a persistent instance", prepare: (it: ServiceDriver) => it.register({ ephemeral: false }) },
])("B1: the hot way leaves a beat of $name to the other", async ({ prepare }, { expect }) => {
  const service = new ServiceDriver();
  await prepare(service);
  expect(await service.hotBeat()).toBe(NOT_RENEWED_STATUS);
});

test("B1, B9, G1: the hot way answers a beat as the other does, and tells its lease", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({ metadata: new Map([["preserved.heart.beat.interval", "7000"]]) });
  const response = await service.stub.fetch(beatCallUrl(service.ref, "10.0.0.1", 80, "DEFAULT"));
  expect([await response.text(), response.headers.get("lease")]).toEqual(["7000", "15000"]);
  const beat = { ...ADDRESS, registration: null };
  expect(await service.stub.beat(service.ref, beat, "tester")).toEqual({
    ok: true,
    value: { code: 10_200, beatIntervalMs: 7_000 },
  });
});
