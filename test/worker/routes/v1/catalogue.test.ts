import { beforeEach, test } from "vitest";
import { parseBody, refusal, sendNaming, summarize, uniqueName, type Answer } from "../../../support/http.ts";

let namespaceId: string;
beforeEach(() => {
  namespaceId = uniqueName("ns");
});

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { namespaceId, ...parameters } });
}

async function catalogue(parameters: Record<string, string>): Promise<unknown> {
  return parseBody(await send("GET", "/catalog/services", { pageNo: "1", pageSize: "10", ...parameters }));
}

/** Counts follow within 5 s; a new service is there at once, but with the counts of its first moment. */
async function until(read: () => Promise<unknown>, isThere: (value: string) => boolean): Promise<unknown> {
  const deadline = Date.now() + 8_000;
  for (;;) {
    const value = await read();
    if (isThere(JSON.stringify(value)) || Date.now() > deadline) return value;
    await scheduler.wait(100);
  }
}

function row(name: string, groupName = "DEFAULT_GROUP"): Record<string, unknown> {
  return { name, groupName, clusterCount: 0, ipCount: 0, healthyInstanceCount: 0, triggerFlag: "false" };
}

test("S9, S6: a row counts clusters, instances and healthy ones, disabled ones too", async ({ expect }) => {
  await send("POST", "/instance", { serviceName: "a", ip: "10.0.0.1", port: "80" });
  await send("POST", "/instance", {
    serviceName: "a",
    ip: "10.0.0.2",
    port: "80",
    clusterName: "c",
    healthy: "false",
  });
  await send("POST", "/instance", {
    serviceName: "a",
    ip: "10.0.0.3",
    port: "80",
    clusterName: "c",
    enabled: "false",
  });
  const counted = { ...row("a"), clusterCount: 2, ipCount: 3, healthyInstanceCount: 2 };
  const found = await until(
    () => catalogue({}),
    (text) => text.includes('"ipCount":3'),
  );
  expect(found).toEqual({ count: 1, serviceList: [counted] });
}, 10_000);

test("S9: patterns filter before the page is cut, case counts, and empty services can be left out", async ({
  expect,
}) => {
  for (const serviceName of ["order-api", "order-db", "user"])
    await send("POST", "/service", { serviceName });
  await send("POST", "/service", { serviceName: "order-api", groupName: "PAY" });
  expect(await catalogue({ serviceNameParam: "api" })).toEqual({
    count: 2,
    serviceList: [row("order-api"), row("order-api", "PAY")],
  });
  expect(await catalogue({ serviceNameParam: "^o.*-db$" })).toEqual({
    count: 1,
    serviceList: [row("order-db")],
  });
  expect(await catalogue({ serviceNameParam: "ORDER" })).toEqual({ count: 0, serviceList: [] });
  expect(await catalogue({ groupNameParam: "PA" })).toEqual({
    count: 1,
    serviceList: [row("order-api", "PAY")],
  });
  expect(await catalogue({ hasIpCount: "1" })).toEqual({ count: 0, serviceList: [] });
  expect(await catalogue({ pageSize: "3", pageNo: "2" })).toEqual({
    count: 4,
    serviceList: [row("order-api", "PAY")],
  });
  expect(await catalogue({ pageSize: "3", pageNo: "9" })).toEqual({ count: 4, serviceList: [] });
  expect(await catalogue({ pageNo: "9" })).toMatchObject({ count: 4, serviceList: { length: 4 } });
});

test("S9, W10: a pattern that does not compile is refused by name", async ({ expect }) => {
  const answer = await send("GET", "/catalog/services", {
    pageNo: "1",
    pageSize: "1",
    serviceNameParam: "[",
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatch(
    /^Param 'serviceNameParam' is illegal, it should be a regular expression of RE2: /,
  );
});

test("S9, P3: the instances of a cluster are paged with their real health", async ({ expect }) => {
  const serviceName = "shop";
  await send("POST", "/instance", { serviceName, ip: "10.0.0.1", port: "80" });
  await send("POST", "/instance", { serviceName, ip: "10.0.0.2", port: "80", healthy: "false" });
  await send("POST", "/instance", { serviceName, ip: "10.0.0.3", port: "80", enabled: "false" });
  await send("PUT", "/service", { serviceName, protectThreshold: "0.9" });
  const at = { serviceName, clusterName: "DEFAULT", pageSize: "2" };
  expect(parseBody(await send("GET", "/catalog/instances", { ...at, pageNo: "1" }))).toMatchObject({
    count: 3,
    list: [
      { ip: "10.0.0.1", healthy: true, enabled: true },
      { ip: "10.0.0.2", healthy: false, enabled: true },
    ],
  });
  expect(parseBody(await send("GET", "/catalog/instances", { ...at, pageNo: "2" }))).toMatchObject({
    count: 3,
    list: [{ ip: "10.0.0.3", healthy: true, enabled: false }],
  });
  expect(parseBody(await send("GET", "/catalog/instances", { ...at, pageNo: "3" }))).toEqual({
    count: 3,
    list: [],
  });
  expect(parseBody(await send("GET", "/catalog/instances", { ...at, pageNo: "0" }))).toEqual({
    count: 3,
    list: [],
  });
});

test.for([
  ["an unknown service", {}, "service DEFAULT_GROUP@@none is not found!"],
  ["an unknown cluster", { serviceName: "made", clusterName: "zz" }, "cluster zz is not found!"],
] as const)("S9: %s is 404", async ([_name, parameters, text], { expect }) => {
  await send("POST", "/service", { serviceName: "made" });
  const asked = { serviceName: "none", clusterName: "DEFAULT", pageNo: "1", pageSize: "1", ...parameters };
  expect(summarize(await send("GET", "/catalog/instances", asked))).toEqual(refusal(text, 404));
});

test("S9: one service with the settings of its clusters", async ({ expect }) => {
  await send("POST", "/instance", { serviceName: "one", ip: "10.0.0.1", port: "80" });
  expect(parseBody(await send("GET", "/catalog/service", { serviceName: "one" }))).toEqual({
    service: {
      name: "one",
      groupName: "DEFAULT_GROUP",
      protectThreshold: 0,
      selector: { type: "none", contextType: "NONE" },
      metadata: {},
    },
    clusters: [
      {
        serviceName: "DEFAULT_GROUP@@one",
        name: "DEFAULT",
        healthChecker: { type: "TCP" },
        metadata: {},
        defaultPort: 80,
        defaultCheckPort: 80,
        useIPPort4Check: true,
      },
    ],
  });
});
