import { beforeEach, test } from "vitest";
import { parseBody, refusal, sendNaming, summarize, uniqueName, type Answer } from "../../../support/http.ts";

let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("orders");
});

const BATCH = "/instance/metadata/batch";

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

async function register(ip: string, parameters: Record<string, string> = {}): Promise<void> {
  await send("POST", "/instance", { ip, port: "80", metadata: "a=1,b=2", ...parameters });
}

/** Metadata by `ip cluster`. */
async function metadata(): Promise<Record<string, unknown>> {
  const list: { hosts: { ip: string; clusterName: string; metadata: unknown }[] } = JSON.parse(
    (await send("GET", "/instance/list")).body,
  );
  return Object.fromEntries(list.hosts.map((host) => [`${host.ip} ${host.clusterName}`, host.metadata]));
}

function updated(...names: string[]): unknown {
  return {
    status: 200,
    contentType: "application/json;charset=UTF-8",
    body: JSON.stringify({ updated: names }),
  };
}

test("O4: batch metadata merge for all instances, in the order of lists", async ({ expect }) => {
  await register("10.0.0.2", { clusterName: "c" });
  await register("10.0.0.10");
  await register("10.0.0.9", { enabled: "false", weight: "3" });
  expect(summarize(await send("PUT", BATCH, { metadata: '{"b":"3","c":4}' }))).toEqual(
    updated(
      "10.0.0.9:80:unknown:DEFAULT:ephemeral",
      "10.0.0.10:80:unknown:DEFAULT:ephemeral",
      "10.0.0.2:80:unknown:c:ephemeral",
    ),
  );
  expect(await metadata()).toEqual({
    "10.0.0.10 DEFAULT": { a: "1", b: "3", c: "4" },
    "10.0.0.2 c": { a: "1", b: "3", c: "4" },
  });
  const disabled = await send("GET", "/instance", { ip: "10.0.0.9", port: "80", view: "full" });
  expect(parseBody(disabled)).toMatchObject({
    weight: 3,
    enabled: false,
    metadata: { a: "1", b: "3", c: "4" },
  });
});

test("O4: batch metadata of the instances named; what does not exist is passed over", async ({ expect }) => {
  await register("10.0.0.1");
  await register("10.0.0.2");
  await register("10.0.0.3", { clusterName: "c" });
  const instances = JSON.stringify([
    { ip: "10.0.0.2", port: 80 },
    { ip: "10.0.0.2", port: "80", clusterName: "DEFAULT" },
    { ip: "10.0.0.3", port: 80 },
    { ip: "10.0.0.9", port: 80 },
  ]);
  expect(summarize(await send("PUT", BATCH, { metadata: "x=y", instances }))).toEqual(
    updated("10.0.0.2:80:unknown:DEFAULT:ephemeral"),
  );
  expect(await metadata()).toEqual({
    "10.0.0.1 DEFAULT": { a: "1", b: "2" },
    "10.0.0.2 DEFAULT": { a: "1", b: "2", x: "y" },
    "10.0.0.3 c": { a: "1", b: "2" },
  });
});

test("O4: an empty array means every instance", async ({ expect }) => {
  await register("10.0.0.1");
  expect(summarize(await send("PUT", BATCH, { metadata: "x=y", instances: "[]" }))).toEqual(
    updated("10.0.0.1:80:unknown:DEFAULT:ephemeral"),
  );
});

test("O4: a batch of a persistent service says persist, of none at all nothing", async ({ expect }) => {
  expect(summarize(await send("PUT", BATCH, { metadata: "x=y" }))).toEqual(updated());
  expect((await send("GET", "/service")).status).toBe(400);
  await register("10.0.0.1", { ephemeral: "false" });
  expect(summarize(await send("PUT", BATCH, { metadata: "x=y" }))).toEqual(
    updated("10.0.0.1:80:unknown:DEFAULT:persist"),
  );
});

test("O4: DELETE hides keys, registered ones too and over registrations; values do not matter", async ({
  expect,
}) => {
  await register("10.0.0.1");
  expect(summarize(await send("DELETE", BATCH, { metadata: '{"a":"no matter","nope":""}' }))).toEqual(
    updated("10.0.0.1:80:unknown:DEFAULT:ephemeral"),
  );
  expect(await metadata()).toEqual({ "10.0.0.1 DEFAULT": { b: "2" } });
  await register("10.0.0.1", { metadata: "a=1,b=2,c=3" });
  expect(await metadata()).toEqual({ "10.0.0.1 DEFAULT": { b: "2", c: "3" } });
});

test("V1: a batch edit is one revision, and none where it changes nothing", async ({ expect }) => {
  for (const ip of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) await register(ip);
  await send("PUT", BATCH, { metadata: "x=y" });
  const after = summarize(await send("GET", "/instance/list"));
  expect(after.body).toContain('"revision":4,');
  await send("PUT", BATCH, { metadata: "x=y" });
  expect(summarize(await send("GET", "/instance/list"))).toEqual(after);
});

test.for([
  { name: "no metadata", sent: {}, text: "Param 'metadata' is required." },
  { name: "metadata in no form", sent: { metadata: "a" }, text: "metadata format incorrect:a" },
  {
    name: "no JSON",
    sent: { metadata: "a=b", instances: "x" },
    text: "Param 'instances' is illegal, it should be a JSON array of {ip, port, clusterName}.",
  },
  {
    name: "no array",
    sent: { metadata: "a=b", instances: '{"ip":"10.0.0.1","port":80}' },
    text: "Param 'instances' is illegal, it should be a JSON array of {ip, port, clusterName}.",
  },
  {
    name: "no objects",
    sent: { metadata: "a=b", instances: '["10.0.0.1:80"]' },
    text: "Param 'instances' is illegal, each should be an object {ip, port, clusterName}.",
  },
  {
    name: "an entry without ip",
    sent: { metadata: "a=b", instances: '[{"port":80}]' },
    text: "Param 'instances' is illegal: Param 'ip' is required.",
  },
  {
    name: "an entry without port",
    sent: { metadata: "a=b", instances: '[{"ip":"10.0.0.1"}]' },
    text: "Param 'instances' is illegal: Param 'port' is required.",
  },
  {
    name: "an entry with a bad port",
    sent: { metadata: "a=b", instances: '[{"ip":"10.0.0.1","port":65536}]' },
    text: "Param 'instances' is illegal: Param 'port' is illegal, the value should be between 0 and 65535. (current: 65536)",
  },
  {
    name: "too many",
    sent: { metadata: "a=b", instances: JSON.stringify(Array.from({ length: 1_001 }, () => ({}))) },
    text: "Param 'instances' is illegal, at most 1000 are allowed. (1001)",
  },
])("W10: a batch edit with $name is refused and edits none", async ({ sent, text }, { expect }) => {
  await register("10.0.0.1");
  const before = summarize(await send("GET", "/instance/list"));
  for (const method of ["PUT", "DELETE"]) {
    expect(summarize(await send(method, BATCH, sent))).toEqual(refusal(text));
  }
  expect(summarize(await send("GET", "/instance/list"))).toEqual(before);
});

async function statuses(key: string): Promise<unknown> {
  return parseBody(await sendNaming("GET", "/instance/statuses", { query: { key } }));
}

test("P3: statuses tell the real health of all, disabled ones too", async ({ expect }) => {
  await send("POST", "/service", { protectThreshold: "1" });
  await register("10.0.0.2", { healthy: "false" });
  await register("10.0.0.1", { enabled: "false" });
  const answer = await sendNaming("GET", "/instance/statuses", {
    query: { key: `DEFAULT_GROUP@@${serviceName}` },
  });
  expect(parseBody(answer)).toEqual({ ips: ["10.0.0.1:80_true", "10.0.0.2:80_false"] });
});

test("W8: the key of statuses may name a namespace", async ({ expect }) => {
  await send("POST", "/instance", { ip: "10.0.0.1", port: "80", namespaceId: "ns-2" });
  expect(await statuses(`ns-2##DEFAULT_GROUP@@${serviceName}`)).toEqual({ ips: ["10.0.0.1:80_true"] });
  expect(await statuses(`public##DEFAULT_GROUP@@${serviceName}`)).toEqual({ ips: [] });
  expect(await statuses(`##DEFAULT_GROUP@@${serviceName}`)).toEqual({ ips: [] });
});
