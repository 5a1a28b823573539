import { test } from "vitest";
import { hostView, renderListBody } from "../../../shared/naming/list-body.ts";
import { lightBeat, metadata, REF, START, TestService } from "../../support/builders.ts";

const ALL = { clusters: "", healthyOnly: false };
const GENERATOR = "preserved.instance.id.generator";

/** A rendered list as a client reads it. */
function read(
  service: TestService,
  query = ALL,
): { hosts: Record<string, unknown>[]; [field: string]: unknown } {
  return JSON.parse(renderListBody(service.state, query));
}

const HOST = {
  instanceId: "10.0.0.1#80#DEFAULT#DEFAULT_GROUP@@orders",
  ip: "10.0.0.1",
  port: 80,
  weight: 1,
  healthy: true,
  enabled: true,
  ephemeral: true,
  clusterName: "DEFAULT",
  serviceName: "DEFAULT_GROUP@@orders",
  metadata: {},
  instanceHeartBeatInterval: 5_000,
  instanceHeartBeatTimeOut: 15_000,
  ipDeleteTimeout: 30_000,
  instanceIdGenerator: "simple",
  valid: true,
  marked: false,
};

test("V5: a list holds the fields of 2.x, those of 1.x, and its revision", ({ expect }) => {
  const service = new TestService();
  service.run(500).register();
  expect(read(service)).toEqual({
    name: "DEFAULT_GROUP@@orders",
    groupName: "DEFAULT_GROUP",
    clusters: "",
    cacheMillis: 10_000,
    hosts: [HOST],
    lastRefTime: START + 500,
    checksum: "1",
    allIPs: false,
    reachProtectionThreshold: false,
    valid: true,
    revision: 1,
    dom: "DEFAULT_GROUP@@orders",
    useSpecifiedURL: false,
    env: "",
    metadata: {},
  });
});

test("V5: the settings' metadata are told, also odd ones", ({ expect }) => {
  const service = new TestService();
  service.register();
  const odd = '{"__proto__":"a","机房":"上海","q\\"":"\\u2028"}';
  service.configure({ metadata: metadata(JSON.parse(odd)) });
  const body = renderListBody(service.state, ALL);
  expect(body).toContain('"metadata":{"__proto__":"a","机房":"上海"');
  expect(JSON.parse(body).metadata).toEqual(JSON.parse(odd));
});

test.for([
  ["no metadata", {}, "simple"],
  ["metadata without it", { a: "b" }, undefined],
  ["a generator of their own", { [GENERATOR]: "snowflake" }, "snowflake"],
] as const)("V5: the generator of ids with %s", ([, own, shown], { expect }) => {
  const service = new TestService();
  service.register({ metadata: metadata<string>(own) });
  expect(read(service).hosts[0]?.["instanceIdGenerator"]).toBe(shown);
});

test("O1, V5: a host is shown as it is in force", ({ expect }) => {
  const service = new TestService();
  const own = { "preserved.heart.beat.timeout": "20000", a: "1", b: "2" };
  service.register({ weight: 3, metadata: metadata<string>(own) });
  service.patch({ weight: 0.005, metadata: metadata<string | null>({ a: null, c: "3" }) });
  expect(read(service).hosts).toMatchObject([
    {
      weight: 0.005,
      metadata: { "preserved.heart.beat.timeout": "20000", b: "2", c: "3" },
      instanceHeartBeatTimeOut: 20_000,
    },
  ]);
  expect(read(service).hosts[0]?.["metadata"]).not.toHaveProperty("a");
});

test("V5: an unhealthy host is neither healthy nor valid", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.run(15_000);
  expect(read(service).hosts).toMatchObject([{ healthy: false, valid: false, enabled: true }]);
});

test("P2: a protected list shows all as healthy, with its flag, also healthyOnly; what ends it shows the truth", ({
  expect,
}) => {
  const service = new TestService();
  service.register();
  service.register({ port: 81 });
  service.configure({ protectThreshold: 0.5 });
  service.run(15_000).beat(lightBeat());
  for (const healthyOnly of [false, true]) {
    const list = read(service, { ...ALL, healthyOnly });
    expect(list["reachProtectionThreshold"]).toBe(true);
    expect(list.hosts.map(({ healthy, valid }) => [healthy, valid])).toEqual([
      [true, true],
      [true, true],
    ]);
  }
  service.configure({});
  expect(read(service).hosts.map(({ healthy, valid }) => [healthy, valid])).toEqual([
    [true, true],
    [false, false],
  ]);
});

test("P3: a host by itself is shown with its real health under protection", ({ expect }) => {
  const service = new TestService();
  service.register({ healthy: false });
  service.configure({ protectThreshold: 1 });
  const instance = service.find();
  expect(read(service).hosts).toMatchObject([{ healthy: true }]);
  expect(instance && hostView(REF, instance, instance.healthy)).toMatchObject({
    healthy: false,
    valid: false,
  });
});

test.for(["", "a", "a,b", "b,a", ",a,", " a", "ä%2C", '"', "no such"])(
  "P7: the clusters '%s' are echoed byte for byte",
  (clusters, { expect }) => {
    const service = new TestService();
    for (const clusterName of ["a", "b"]) service.register({ clusterName });
    expect(read(service, { clusters, healthyOnly: false })["clusters"]).toBe(clusters);
  },
);

test("V6: the list of a service that is not there has no hosts and makes nothing", ({ expect }) => {
  const service = new TestService();
  const before = structuredClone(service.state);
  expect(read(service)).toMatchObject({
    hosts: [],
    revision: 0,
    checksum: "0",
    lastRefTime: START,
    valid: true,
  });
  expect(service.state).toEqual(before);
});

test("V6: the list of a service that has gone has no hosts, and a revision beyond all before", ({
  expect,
}) => {
  const service = new TestService();
  service.register();
  service.deregister();
  service.run(60_000);
  expect(service.state.record.exists).toBe(false);
  expect(read(service)).toMatchObject({ hosts: [], revision: 3 });
});

test("V7: a write is in the very next list", ({ expect }) => {
  const service = new TestService();
  service.register();
  for (const weight of [2, 3, 4]) {
    service.put({ weight });
    expect(read(service).hosts).toMatchObject([{ weight }]);
  }
  service.deregister();
  expect(read(service).hosts).toEqual([]);
});
