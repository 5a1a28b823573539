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

let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("probed");
});

const AT = { ip: "10.0.0.1", port: "80" };
const NONE = {
  clusterName: "DEFAULT",
  checkPort: "80",
  useInstancePort4Check: "true",
  healthChecker: '{"type":"NONE"}',
};

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

async function clusters(): Promise<unknown> {
  const body: { clusters: unknown } = JSON.parse((await send("GET", "/service")).body);
  return body.clusters;
}

async function health(): Promise<unknown> {
  const body: { healthy: unknown } = JSON.parse((await send("GET", "/instance", AT)).body);
  return body.healthy;
}

test("C1: settings are replaced as a whole and outlive the last instance", async ({ expect }) => {
  await send("POST", "/instance", AT);
  const checker = '{"type":"HTTP","path":"/health","headers":"A:b","expectedResponseCode":204}';
  const settings = { ...NONE, checkPort: "8081", healthChecker: checker, metadata: "zone=z1" };
  expect(summarize(await send("PUT", "/cluster", settings))).toEqual(OK);
  const http = { type: "HTTP", path: "/health", headers: "A:b", expectedResponseCode: 204 };
  expect(await clusters()).toEqual([{ name: "DEFAULT", healthChecker: http, metadata: { zone: "z1" } }]);
  await send("DELETE", "/instance", AT);
  expect(await clusters()).toEqual([]);
  await send("POST", "/instance", AT);
  expect(await clusters()).toEqual([{ name: "DEFAULT", healthChecker: http, metadata: { zone: "z1" } }]);
  await send("PUT", "/cluster", NONE);
  expect(await clusters()).toEqual([{ name: "DEFAULT", healthChecker: { type: "NONE" }, metadata: {} }]);
});

test("C1: settings go with the service", async ({ expect }) => {
  await send("POST", "/service");
  await send("PUT", "/cluster", NONE);
  await send("DELETE", "/service");
  await send("POST", "/instance", AT);
  expect(await clusters()).toEqual([{ name: "DEFAULT", healthChecker: { type: "TCP" }, metadata: {} }]);
});

test("C2: the password of a MYSQL checker is not shown", async ({ expect }) => {
  await send("POST", "/instance", AT);
  const checker = '{"type":"MYSQL","user":"u","pwd":"secret","cmd":"select 1"}';
  await send("PUT", "/cluster", { ...NONE, healthChecker: checker });
  const answer = await send("GET", "/service");
  expect(answer.body).toContain('"healthChecker":{"type":"MYSQL","user":"u","cmd":"select 1"}');
  expect(answer.body).not.toContain("secret");
});

test("C2, W10: a checker that is no JSON object changes nothing", async ({ expect }) => {
  await send("POST", "/instance", AT);
  const text = "Param 'healthChecker' is illegal, it should be a JSON object of at most 4096 characters.";
  expect(summarize(await send("PUT", "/cluster", { ...NONE, healthChecker: "[]" }))).toEqual(refusal(text));
  expect(await clusters()).toEqual([{ name: "DEFAULT", healthChecker: { type: "TCP" }, metadata: {} }]);
});

test.for(["/health", "/health/instance"])(
  "C3: PUT %s sets health where the checker is NONE",
  async (path, { expect }) => {
    await send("POST", "/service");
    await send("PUT", "/cluster", NONE);
    await send("POST", "/instance", { ...AT, ephemeral: "false" });
    expect(await health()).toBe(true);
    expect(summarize(await send("PUT", path, { ...AT, healthy: "false" }))).toEqual(OK);
    expect(await health()).toBe(false);
    expect(summarize(await send("PUT", path, { ...AT, valid: "yes" }))).toEqual(OK);
    expect(await health()).toBe(true);
    expect(summarize(await send("PUT", path, { ip: "10.9.9.9", port: "1", healthy: "false" }))).toEqual(OK);
  },
);

test("C3: health by hand is refused while a checker works, and for an ephemeral instance", async ({
  expect,
}) => {
  const text = `health check is still working, service: DEFAULT_GROUP@@${serviceName}, cluster: DEFAULT`;
  expect(summarize(await send("PUT", "/health", { ...AT, healthy: "false" }))).toEqual(refusal(text));
  await send("POST", "/instance", AT);
  expect(summarize(await send("PUT", "/health", { ...AT, healthy: "false" }))).toEqual(refusal(text));
  await send("PUT", "/cluster", NONE);
  expect(summarize(await send("PUT", "/health", { ...AT, healthy: "false" }))).toEqual(refusal(text));
  expect(await health()).toBe(true);
});

test("C1: the settings of an unknown service are refused and make none", async ({ expect }) => {
  const text = `service not found:DEFAULT_GROUP@@${serviceName}`;
  expect(summarize(await send("PUT", "/cluster", NONE))).toEqual(refusal(text));
  expect((await send("GET", "/service")).status).toBe(400);
  expect(parseBody(await send("GET", "/instance/list"))).toMatchObject({ hosts: [] });
});
