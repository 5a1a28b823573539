import { beforeEach, test } from "vitest";
import { parseBody, sendNaming, uniqueName, type Answer } from "../../../support/http.ts";

let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("orders");
});

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

async function register(ip: string, parameters: Record<string, string> = {}): Promise<void> {
  await send("POST", "/instance", { ip, port: "80", ...parameters });
}

interface List {
  readonly clusters: string;
  readonly checksum: string;
  readonly revision: number;
  readonly reachProtectionThreshold: boolean;
  readonly hosts: readonly { readonly ip: string; readonly port: number; readonly healthy: boolean }[];
}

async function list(query: string | Record<string, string> = {}): Promise<List> {
  const sent = typeof query === "string" ? `serviceName=${serviceName}&${query}` : { serviceName, ...query };
  // The answers of this route are asserted whole beside its other tests.
  return JSON.parse((await sendNaming("GET", "/instance/list", { query: sent })).body);
}

test.for([
  { name: "one", query: "clusters=a", echo: "a", ips: ["10.0.0.1"] },
  { name: "two", query: "clusters=a,b", echo: "a,b", ips: ["10.0.0.1", "10.0.0.2"] },
  { name: "an encoded comma", query: "clusters=b%2Ca", echo: "b,a", ips: ["10.0.0.1", "10.0.0.2"] },
  { name: "empty names", query: "clusters=,,b,", echo: ",,b,", ips: ["10.0.0.2"] },
  { name: "one twice", query: "clusters=a,a", echo: "a,a", ips: ["10.0.0.1"] },
  { name: "an unknown one", query: "clusters=nope", echo: "nope", ips: [] },
  { name: "another case", query: "clusters=A", echo: "A", ips: [] },
  { name: "a blank inside", query: "clusters=a,%20b", echo: "a, b", ips: ["10.0.0.1"] },
  { name: "no cluster's name at all", query: "clusters=a;b%22%5C%E4%B8%AD", echo: 'a;b"\\中', ips: [] },
  { name: "a name of JavaScript's", query: "clusters=__proto__", echo: "__proto__", ips: [] },
  { name: "blank", query: "clusters=%20", echo: "", ips: ["10.0.0.3", "10.0.0.1", "10.0.0.2"] },
  { name: "absent", query: "", echo: "", ips: ["10.0.0.3", "10.0.0.1", "10.0.0.2"] },
])("P7: clusters, $name", async ({ query, echo, ips }, { expect }) => {
  await register("10.0.0.1", { clusterName: "a" });
  await register("10.0.0.2", { clusterName: "b" });
  await register("10.0.0.3");
  const answer = await list(query);
  expect(answer.clusters).toBe(echo);
  expect(answer.hosts.map(({ ip }) => ip)).toEqual(ips);
});

test.for([
  { sent: "true", ips: ["10.0.0.1"] },
  { sent: "TRUE", ips: ["10.0.0.1"] },
  { sent: "yes", ips: ["10.0.0.1", "10.0.0.2"] },
  { sent: "1", ips: ["10.0.0.1", "10.0.0.2"] },
  { sent: "false", ips: ["10.0.0.1", "10.0.0.2"] },
  { sent: "", ips: ["10.0.0.1", "10.0.0.2"] },
])("W7: healthyOnly=$sent", async ({ sent, ips }, { expect }) => {
  await register("10.0.0.1");
  await register("10.0.0.2", { healthy: "false" });
  expect((await list({ healthyOnly: sent })).hosts.map(({ ip }) => ip)).toEqual(ips);
});

test("P1, P2, P3: a protected list shows all as healthy, with its flag; detail tells the truth", async ({
  expect,
}) => {
  await send("POST", "/service", { protectThreshold: "0.5" });
  await register("10.0.0.1");
  await register("10.0.0.2", { healthy: "false" });
  for (const healthyOnly of ["true", "false"]) {
    const { hosts, reachProtectionThreshold } = await list({ healthyOnly });
    expect({ reachProtectionThreshold, healthy: hosts.map(({ healthy }) => healthy) }).toEqual({
      reachProtectionThreshold: true,
      healthy: [true, true],
    });
  }
  expect(parseBody(await send("GET", "/instance", { ip: "10.0.0.2", port: "80" }))).toMatchObject({
    healthy: false,
  });
  await register("10.0.0.3");
  const { hosts, reachProtectionThreshold } = await list();
  expect({ reachProtectionThreshold, healthy: hosts.map(({ healthy }) => healthy) }).toEqual({
    reachProtectionThreshold: false,
    healthy: [true, false, true],
  });
});

test("P6: disabled instances are in no list", async ({ expect }) => {
  await register("10.0.0.1", { enabled: "false" });
  await register("10.0.0.2");
  expect((await list()).hosts.map(({ ip }) => ip)).toEqual(["10.0.0.2"]);
});

test("P8: hosts are sorted by cluster, ip and port", async ({ expect }) => {
  const addresses = ["b:1", "10.0.0.10:80", "10.0.0.9:443", "10.0.0.9:80", "a:1", "::1|8080", "9.255.0.1:80"];
  for (const address of addresses) {
    const [ip = "", port = ""] = address.includes("|") ? address.split("|") : address.split(":");
    await register(ip, { port });
  }
  const { hosts } = await list();
  expect(hosts.map(({ ip, port }) => `${ip} ${port}`)).toEqual([
    "9.255.0.1 80",
    "10.0.0.9 80",
    "10.0.0.9 443",
    "10.0.0.10 80",
    "::1 8080",
    "a 1",
    "b 1",
  ]);
});

test("V4: equal checksums mean equal lists", async ({ expect }) => {
  await register("10.0.0.1", { clusterName: "a" });
  await register("10.0.0.2", { healthy: "false" });
  const queries = ["", "clusters=a", "healthyOnly=true", "clusters=a&healthyOnly=true", "clusters=a,DEFAULT"];
  const answers = await Promise.all(queries.map(list));
  expect(new Set(answers.map(({ checksum }) => checksum)).size).toBe(queries.length);
  await register("10.0.0.3");
  expect((await list()).checksum).not.toBe(answers[0]?.checksum);
});

test("W8: a namespace absent, blank and public is one place, and another is another", async ({ expect }) => {
  const spellings = [{}, { namespaceId: "" }, { namespaceId: " " }, { namespaceId: "public" }];
  for (const [index, spelling] of spellings.entries()) await register(`10.0.0.${index}`, spelling);
  for (const spelling of spellings) expect((await list(spelling)).hosts).toHaveLength(4);
  expect((await list({ namespaceId: "Public" })).hosts).toEqual([]);
  await register("10.0.0.9", { namespaceId: "never-made" });
  expect((await list({ namespaceId: "never-made" })).hosts).toHaveLength(1);
});

test("V6: the list of a service that is not there is 200, and makes nothing", async ({ expect }) => {
  expect(await list()).toMatchObject({ hosts: [], revision: 0, checksum: "0" });
  expect((await send("GET", "/service")).status).toBe(400);
});

test("V7, V8: a write is seen by the very next read of a list that is kept, too", async ({ expect }) => {
  await register("10.0.0.1");
  for (let read = 0; read < 30; read++) await list();
  for (let index = 2; index < 20; index++) {
    await register(`10.0.0.${index}`);
    const [first, second] = [await list(), await list()];
    expect([first.hosts.length, second.hosts.length]).toEqual([index, index]);
  }
});

test("D3: a hundred first registrations at once make one service with a hundred instances", async ({
  expect,
}) => {
  const namespaceId = uniqueName("ns");
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      send("POST", "/instance", { ip: `10.0.1.${index}`, port: "80", namespaceId }),
    ),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(["200 ok"]));
  expect((await list({ namespaceId })).hosts).toHaveLength(100);
  const services = await sendNaming("GET", "/service/list", {
    query: { namespaceId, pageNo: "1", pageSize: "10" },
  });
  expect(parseBody(services)).toEqual({ count: 1, doms: [serviceName] });
});
