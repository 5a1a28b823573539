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
const FULL = { ip: "10.0.0.1", port: 80 };

function beatAnswer(code: number, interval = 5_000): unknown {
  const body = `{"clientBeatInterval":${interval},"code":${code},"lightBeatEnabled":true}`;
  return { status: 200, contentType: JSON_TYPE, body };
}
const RENEWED = beatAnswer(10_200);
const UNKNOWN = beatAnswer(20_404);

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

async function beat(parameters: Record<string, string>): Promise<unknown> {
  return summarize(await send("PUT", "/instance/beat", parameters));
}

async function fullBeat(json: unknown, parameters: Record<string, string> = {}): Promise<unknown> {
  return beat({ beat: typeof json === "string" ? json : JSON.stringify(json), ...parameters });
}

async function hosts(): Promise<unknown[]> {
  const list: { hosts: unknown[] } = JSON.parse((await send("GET", "/instance/list")).body);
  return list.hosts;
}

test("B1: a light beat renews a known instance and makes it healthy, and changes nothing else", async ({
  expect,
}) => {
  await send("POST", "/instance", { ...AT, healthy: "false", weight: "3", metadata: "a=b" });
  expect(await beat(AT)).toEqual(RENEWED);
  const [host] = await hosts();
  expect(host).toMatchObject({ healthy: true, weight: 3, metadata: { a: "b" } });
  const before = summarize(await send("GET", "/instance/list"));
  expect(await beat(AT)).toEqual(RENEWED);
  expect(await fullBeat({ ...FULL, weight: 9, metadata: { x: "y" } })).toEqual(RENEWED);
  expect(summarize(await send("GET", "/instance/list"))).toEqual(before);
});

test("B1: a disabled instance is renewed too, and stays disabled", async ({ expect }) => {
  await send("POST", "/instance", AT);
  await send("PATCH", "/instance", { ...AT, enabled: "false" });
  expect(await beat(AT)).toEqual(RENEWED);
  expect(await fullBeat(FULL)).toEqual(RENEWED);
  expect(await hosts()).toEqual([]);
});

test.for([
  { name: "an unknown instance", parameters: AT },
  { name: "none: no ip", parameters: { port: "80" } },
  { name: "none: no port", parameters: { ip: "10.0.0.1" } },
  { name: "none: nothing", parameters: {} },
  { name: "an unknown instance, with a blank JSON", parameters: { ...AT, beat: " " } },
])("B3: a light beat for $name is 20404 and makes nothing", async ({ parameters }, { expect }) => {
  expect(await beat(parameters)).toEqual(UNKNOWN);
  expect((await send("GET", "/service")).status).toBe(400);
});

test("B3: a light beat without ip or port renews nobody, where there is somebody too", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, port: "0" });
  expect(await beat({ ip: "10.0.0.1" })).toEqual(UNKNOWN);
  expect(await beat({ port: "0" })).toEqual(UNKNOWN);
});

test("B4: a full beat registers an unknown instance from its JSON", async ({ expect }) => {
  const json = { ...FULL, cluster: "c-1", weight: 2.5, metadata: { a: "b", n: 1 }, scheduled: true };
  expect(await fullBeat(json)).toEqual(RENEWED);
  expect(await hosts()).toMatchObject([
    {
      ip: "10.0.0.1",
      port: 80,
      clusterName: "c-1",
      weight: 2.5,
      metadata: { a: "b", n: "1" },
      ephemeral: true,
      healthy: true,
    },
  ]);
});

test("B4: what the JSON does not name is DEFAULT and 1", async ({ expect }) => {
  expect(await fullBeat(FULL)).toEqual(RENEWED);
  expect(await hosts()).toMatchObject([{ clusterName: "DEFAULT", weight: 1, metadata: {}, enabled: true }]);
});

test.for([
  { name: "one that names its cluster", json: { ...FULL, cluster: "a" }, code: 20_404 },
  { name: "one that names none", json: FULL, code: 20_404 },
  { name: "one of another cluster", json: { ...FULL, cluster: "b" }, code: 10_200 },
  { name: "one of another port", json: { ...FULL, port: 81 }, code: 10_200 },
])("B5: after a deregistration a full beat, $name", async ({ json, code }, { expect }) => {
  await send("POST", "/instance", { ...AT, clusterName: "a" });
  await send("DELETE", "/instance", { ...AT, clusterName: "a" });
  expect(await fullBeat(json)).toEqual(beatAnswer(code));
});

test("B5: a registration ends the hold; deregistering what was not there begins none", async ({ expect }) => {
  await send("DELETE", "/instance", AT);
  expect(await fullBeat(FULL)).toEqual(RENEWED);
  await send("DELETE", "/instance", AT);
  await send("POST", "/instance", AT);
  expect(await fullBeat(FULL)).toEqual(RENEWED);
});

test("B6: for a persistent instance a light beat is 20404 and a full one the kind conflict", async ({
  expect,
}) => {
  await send("POST", "/instance", { ...AT, ephemeral: "false" });
  expect(await beat(AT)).toEqual(UNKNOWN);
  const conflict = refusal(
    `errCode: 400, errMsg: Current service DEFAULT_GROUP@@${serviceName} is persistent service, can't register ephemeral instance. `,
  );
  expect(await fullBeat(FULL)).toEqual(conflict);
  expect(await fullBeat({ ...FULL, port: 81 })).toEqual(conflict);
});

test("B7: the service of a beat is the request's; ip, port and cluster of its JSON win", async ({
  expect,
}) => {
  const json = { ...FULL, cluster: "json", serviceName: "DEFAULT_GROUP@@other" };
  expect(await fullBeat(json, { ip: "10.9.9.9", port: "99", clusterName: "parameter" })).toEqual(RENEWED);
  expect(await hosts()).toMatchObject([{ ip: "10.0.0.1", port: 80, clusterName: "json" }]);
});

test("B7: what the JSON leaves out is taken from the parameters", async ({ expect }) => {
  const json = { ip: "10.0.0.1", port: null, cluster: " " };
  expect(await fullBeat(json, { port: "99", clusterName: "parameter" })).toEqual(RENEWED);
  expect(await hosts()).toMatchObject([{ ip: "10.0.0.1", port: 99, clusterName: "parameter" }]);
});

async function healthByCluster(): Promise<string[]> {
  const list: { hosts: { clusterName: string; healthy: boolean }[] } = JSON.parse(
    (await send("GET", "/instance/list")).body,
  );
  return list.hosts.map(({ clusterName, healthy }) => `${clusterName} ${healthy}`);
}

test("B2: a beat with a cluster feeds that instance, without one the one in DEFAULT, else all", async ({
  expect,
}) => {
  const unhealthy = { ...AT, healthy: "false" };
  for (const clusterName of ["a", "b"]) await send("POST", "/instance", { ...unhealthy, clusterName });
  expect(await beat({ ...AT, clusterName: "a" })).toEqual(RENEWED);
  expect(await healthByCluster()).toEqual(["a true", "b false"]);
  expect(await beat({ ...AT, clusterName: "c" })).toEqual(UNKNOWN);
  expect(await beat(AT)).toEqual(RENEWED);
  expect(await healthByCluster()).toEqual(["a true", "b true"]);
  await send("POST", "/instance", unhealthy);
  await send("POST", "/instance", { ...unhealthy, clusterName: "a" });
  expect(await beat(AT)).toEqual(RENEWED);
  expect(await healthByCluster()).toEqual(["DEFAULT true", "a false", "b true"]);
});

test.for([
  { interval: "10000", told: 10_000 },
  { interval: "1", told: 1_000 },
  { interval: "0", told: 1_000 },
  { interval: "soon", told: 5_000 },
])("B9: an interval of $interval is told as $told", async ({ interval, told }, { expect }) => {
  await send("POST", "/instance", {
    ...AT,
    metadata: JSON.stringify({ "preserved.heart.beat.interval": interval }),
  });
  expect(await beat(AT)).toEqual(beatAnswer(10_200, told));
});

test("W3: JSON that a client sent unencoded is read as it stands, in query and form", async ({ expect }) => {
  const raw = `serviceName=${serviceName}&beat={"ip":"10.0.0.1","port":80,"metadata":{"u":"1+1=2 100% %41"}}`;
  expect(summarize(await sendNaming("PUT", "/instance/beat", { form: raw }))).toEqual(RENEWED);
  expect(await hosts()).toMatchObject([{ metadata: { u: "1+1=2 100% %41" } }]);
});

test("W9: a grouped name in the request wins over the group beside it", async ({ expect }) => {
  const parameters = { serviceName: `g@@${serviceName}`, groupName: "other", beat: JSON.stringify(FULL) };
  expect(await beat(parameters)).toEqual(RENEWED);
  const list = await sendNaming("GET", "/instance/list", { query: { serviceName, groupName: "g" } });
  expect(parseBody(list)).toMatchObject({ name: `g@@${serviceName}`, hosts: [{ ip: "10.0.0.1" }] });
});

test("L1: a registration after a beat is still ok", async ({ expect }) => {
  await fullBeat(FULL);
  expect(summarize(await send("POST", "/instance", AT))).toEqual(OK);
});
