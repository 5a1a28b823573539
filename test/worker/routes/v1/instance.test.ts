import { beforeEach, test } from "vitest";
import {
  OK,
  parseBody,
  refusal,
  sendNaming,
  summarize,
  uniqueName,
  type Answer,
} from "../../../support/http.ts";

const JSON_TYPE = "application/json;charset=UTF-8";
let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("orders");
});

const AT = { ip: "10.0.0.1", port: "80" };

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

async function detail(parameters: Record<string, string> = {}): Promise<unknown> {
  return parseBody(await send("GET", "/instance", { ...AT, ...parameters }));
}

test("V5: a list holds the fields of 2.x, those of 1.x clients, and the revision", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, metadata: '{"a":"b"}' });
  const answer = await send("GET", "/instance/list");
  expect([answer.status, answer.contentType]).toEqual([200, JSON_TYPE]);
  const list: { lastRefTime: number } = JSON.parse(answer.body);
  const name = `DEFAULT_GROUP@@${serviceName}`;
  expect(list).toEqual({
    name,
    groupName: "DEFAULT_GROUP",
    clusters: "",
    cacheMillis: 10_000,
    hosts: [
      {
        instanceId: `10.0.0.1#80#DEFAULT#${name}`,
        ip: "10.0.0.1",
        port: 80,
        weight: 1,
        healthy: true,
        enabled: true,
        ephemeral: true,
        clusterName: "DEFAULT",
        serviceName: name,
        metadata: { a: "b" },
        instanceHeartBeatInterval: 5_000,
        instanceHeartBeatTimeOut: 15_000,
        ipDeleteTimeout: 30_000,
        valid: true,
        marked: false,
      },
    ],
    lastRefTime: list.lastRefTime,
    checksum: "1",
    allIPs: false,
    reachProtectionThreshold: false,
    valid: true,
    revision: 1,
    dom: name,
    useSpecifiedURL: false,
    env: "",
    metadata: {},
  });
});

test("I2: a registration replaces weight, enabled and metadata wholesale", async ({ expect }) => {
  const first = { ...AT, weight: "3.5", enabled: "false", healthy: "false", metadata: "a=b,c=d" };
  expect(summarize(await send("POST", "/instance", first))).toEqual(OK);
  expect(await detail({ view: "full" })).toMatchObject({
    weight: 3.5,
    enabled: false,
    healthy: false,
    metadata: { a: "b", c: "d" },
  });
  expect(summarize(await send("POST", "/instance", AT))).toEqual(OK);
  expect(await detail({ view: "full" })).toMatchObject({
    weight: 1,
    enabled: true,
    healthy: true,
    metadata: {},
  });
});

test("I3, V1: the same registration again changes neither revision nor events", async ({ expect }) => {
  const same = { ...AT, metadata: '{"a":"b"}', weight: "2" };
  await send("POST", "/instance", same);
  const before = [await send("GET", "/instance/list"), await send("GET", "/service/events")].map(summarize);
  await send("POST", "/instance", same);
  expect([await send("GET", "/instance/list"), await send("GET", "/service/events")].map(summarize)).toEqual(
    before,
  );
});

test.for([
  { name: "enabled wins over enable", sent: { enabled: "true", enable: "false" }, enabled: true },
  { name: "enable counts where enabled is blank", sent: { enabled: " ", enable: "false" }, enabled: false },
])("I2: $name", async ({ sent, enabled }, { expect }) => {
  await send("POST", "/instance", { ...AT, ...sent });
  expect(await detail({ view: "full" })).toMatchObject({ enabled });
});

test("I1: one ip:port may stand in several clusters; clusterName wins over cluster", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, clusterName: "a", cluster: "x" });
  await send("POST", "/instance", { ...AT, cluster: "b" });
  await send("POST", "/instance", AT);
  const list = parseBody(await send("GET", "/instance/list"));
  expect(list).toMatchObject({ hosts: ["DEFAULT", "a", "b"].map((clusterName) => ({ clusterName })) });
});

test.for([
  { name: "with a cluster", sent: { clusterName: "a" }, removed: "1", left: ["DEFAULT", "b"] },
  { name: "with a cluster by its old name", sent: { cluster: "a" }, removed: "1", left: ["DEFAULT", "b"] },
  { name: "without a cluster", sent: {}, removed: "3", left: [] },
  { name: "with a blank cluster", sent: { clusterName: " " }, removed: "3", left: [] },
  {
    name: "with a cluster that is not there",
    sent: { clusterName: "c" },
    removed: "0",
    left: ["DEFAULT", "a", "b"],
  },
  { name: "with another port", sent: { port: "81" }, removed: "0", left: ["DEFAULT", "a", "b"] },
])(
  "I6: a deregistration $name is ok and tells how many went",
  async ({ sent, removed, left }, { expect }) => {
    for (const clusterName of ["DEFAULT", "a", "b"]) await send("POST", "/instance", { ...AT, clusterName });
    const answer = await send("DELETE", "/instance", { ...AT, ...sent });
    expect(summarize(answer)).toEqual(OK);
    expect(answer.headers.get("Nacre-Removed")).toBe(removed);
    const list: { hosts: { clusterName: string }[] } = JSON.parse((await send("GET", "/instance/list")).body);
    expect(list.hosts.map(({ clusterName }) => clusterName)).toEqual(left);
  },
);

test("I6: a deregistration of a service that is not there is ok and makes none", async ({ expect }) => {
  const answer = await send("DELETE", "/instance", AT);
  expect(summarize(answer)).toEqual(OK);
  expect(answer.headers.get("nacre-removed")).toBe("0");
  expect((await send("GET", "/service")).status).toBe(400);
});

test("I8: the whole detail", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, weight: "0.5", healthy: "false", metadata: "a=b" });
  const answer = await send("GET", "/instance", AT);
  expect([answer.status, answer.contentType]).toEqual([200, JSON_TYPE]);
  expect(parseBody(answer)).toEqual({
    service: `DEFAULT_GROUP@@${serviceName}`,
    ip: "10.0.0.1",
    port: 80,
    clusterName: "DEFAULT",
    weight: 0.5,
    healthy: false,
    instanceId: `10.0.0.1#80#DEFAULT#DEFAULT_GROUP@@${serviceName}`,
    metadata: { a: "b" },
  });
});

test("I8: detail of what is not there is 404 in 2.x's words", async ({ expect }) => {
  const nothing = `no ips found for cluster DEFAULT in service DEFAULT_GROUP@@${serviceName}`;
  expect(summarize(await send("GET", "/instance", AT))).toEqual(refusal(nothing, 404));
  await send("POST", "/instance", { ...AT, clusterName: "b" });
  await send("POST", "/instance", { ...AT, clusterName: "a" });
  expect(await detail()).toMatchObject({ clusterName: "a" });
  expect(summarize(await send("GET", "/instance", { ...AT, clusterName: "c" }))).toEqual(
    refusal("no matched ip found!", 404),
  );
});

test("I5: the other kind is refused in 2.x's words until the last instance goes", async ({ expect }) => {
  await send("POST", "/instance", AT);
  const other = { ip: "10.0.0.2", port: "80", ephemeral: "false" };
  const name = `DEFAULT_GROUP@@${serviceName}`;
  expect(summarize(await send("POST", "/instance", other))).toEqual(
    refusal(
      `errCode: 400, errMsg: Current service ${name} is ephemeral service, can't register persistent instance. `,
    ),
  );
  await send("DELETE", "/instance", AT);
  expect(summarize(await send("POST", "/instance", other))).toEqual(OK);
  expect(summarize(await send("POST", "/instance", AT))).toEqual(
    refusal(
      `errCode: 400, errMsg: Current service ${name} is persistent service, can't register ephemeral instance. `,
    ),
  );
});

test.for([
  { name: "timeout below interval", metadata: '{"preserved.heart.beat.timeout":"4999"}' },
  { name: "removal below interval", metadata: '{"preserved.ip.delete.timeout":4999}' },
  { name: "interval above the default timeout", metadata: '{"preserved.heart.beat.interval":"15001"}' },
])("L2: $name is refused and makes no service", async ({ metadata }, { expect }) => {
  const text = "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.";
  expect(summarize(await send("POST", "/instance", { ...AT, metadata }))).toEqual(refusal(text));
  expect((await send("GET", "/service")).status).toBe(400);
});

function generator(type: string): string {
  return JSON.stringify({ "preserved.instance.id.generator": type });
}

test("I9: an unknown id generator is refused; snowflake gives a number that stays", async ({ expect }) => {
  expect(summarize(await send("POST", "/instance", { ...AT, metadata: generator("dice") }))).toEqual(
    refusal(
      "The InstanceIdGenerator type 'dice' in metadata 'preserved.instance.id.generator' is not found, allowed: simple, snowflake",
    ),
  );
  await send("POST", "/instance", { ...AT, metadata: generator("snowflake") });
  const before = parseBody(await send("GET", "/instance/list"));
  expect(before).toMatchObject({
    hosts: [
      {
        instanceId: expect.stringMatching(new RegExp(`^\\d{15,20}#DEFAULT#DEFAULT_GROUP@@${serviceName}$`)),
        instanceIdGenerator: "snowflake",
      },
    ],
  });
  await send("POST", "/instance", { ...AT, metadata: generator("snowflake") });
  expect(parseBody(await send("GET", "/instance/list"))).toEqual(before);
});
