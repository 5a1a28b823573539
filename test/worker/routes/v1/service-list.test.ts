import { beforeEach, test } from "vitest";
import { parseBody, refusal, sendNaming, summarize, uniqueName, type Answer } from "../../../support/http.ts";

let namespaceId: string;
beforeEach(() => {
  namespaceId = uniqueName("ns");
});

async function make(...names: string[]): Promise<void> {
  for (const serviceName of names)
    await sendNaming("POST", "/service", { query: { namespaceId, serviceName } });
}

function ask(path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming("GET", path, { query: { namespaceId, ...parameters } });
}

async function list(parameters: Record<string, string>): Promise<unknown> {
  return parseBody(await ask("/service/list", parameters));
}

test("S7: a page of services in ascending order; count is the total", async ({ expect }) => {
  const names = Array.from({ length: 25 }, (_, index) => `s${String(index).padStart(2, "0")}`);
  await make(...names.toReversed());
  const page = (pageNo: string): Promise<unknown> => list({ pageNo, pageSize: "10" });
  expect(await page("1")).toEqual({ count: 25, doms: names.slice(0, 10) });
  expect(await page("2")).toEqual({ count: 25, doms: names.slice(10, 20) });
  expect(await page("3")).toEqual({ count: 25, doms: names.slice(20) });
  expect(await page("4")).toEqual({ count: 25, doms: [] });
  for (const first of ["0", "-1", "one"])
    expect(await page(first)).toEqual({ count: 25, doms: names.slice(0, 10) });
  expect(await page("2147483647")).toEqual({ count: 25, doms: [] });
  expect(await list({ pageNo: "1", pageSize: "0" })).toEqual({ count: 25, doms: [] });
  expect(await list({ pageNo: "1", pageSize: "many" })).toEqual({ count: 25, doms: [] });
  expect(await list({ pageNo: "1", pageSize: "9999999999" })).toEqual({ count: 25, doms: names });
});

test("S7: a group has its own list; * is every group, with grouped names", async ({ expect }) => {
  await make("b@@s", "a@@t", "a@@s", "s");
  const page = { pageNo: "1", pageSize: "10" };
  expect(await list(page)).toEqual({ count: 1, doms: ["s"] });
  expect(await list({ ...page, groupName: "a" })).toEqual({ count: 2, doms: ["s", "t"] });
  expect(await list({ ...page, groupName: "nope" })).toEqual({ count: 0, doms: [] });
  expect(await list({ ...page, groupName: "*" })).toEqual({
    count: 4,
    doms: ["DEFAULT_GROUP@@s", "a@@s", "a@@t", "b@@s"],
  });
});

test("S7: an unknown namespace has no services", async ({ expect }) => {
  expect(await list({ pageNo: "1", pageSize: "10" })).toEqual({ count: 0, doms: [] });
});

test("S6: what is deleted is in no list at once", async ({ expect }) => {
  await make("a", "b");
  await sendNaming("DELETE", "/service", { query: { namespaceId, serviceName: "a" } });
  expect(await list({ pageNo: "1", pageSize: "10" })).toEqual({ count: 1, doms: ["b"] });
});

test.for([
  { name: "no page", sent: { pageSize: "10" }, text: "Param 'pageNo' is required." },
  { name: "a blank page", sent: { pageNo: " ", pageSize: "10" }, text: "Param 'pageNo' is required." },
  { name: "no size", sent: { pageNo: "1" }, text: "Param 'pageSize' is required." },
  {
    name: "a negative size",
    sent: { pageNo: "1", pageSize: "-1" },
    text: "Param 'pageSize' is illegal, it should not be negative. (current: -1)",
  },
  {
    name: "a bad group",
    sent: { pageNo: "1", pageSize: "10", groupName: "a b" },
    text: `Param 'group' is illegal, illegal characters should not appear in the param. (" " at position 2; allowed: letters, digits, - _ . and :)`,
  },
])("S7: $name is refused", async ({ sent, text }, { expect }) => {
  expect(summarize(await ask("/service/list", sent))).toEqual(refusal(text));
});

test("S8: names are grouped, by namespace", async ({ expect }) => {
  await make("s", "a@@t");
  const names = { [namespaceId]: ["DEFAULT_GROUP@@s", "a@@t"] };
  expect(parseBody(await ask("/service/names"))).toEqual({
    services: names,
    "META-INF/services": names,
    count: 2,
  });
});

test("S8: without a namespace those of all, without the empty ones", async ({ expect }) => {
  const other = uniqueName("ns");
  const emptied = uniqueName("ns");
  await make("s");
  await sendNaming("POST", "/service", { query: { namespaceId: other, serviceName: "t" } });
  await sendNaming("POST", "/service", { query: { namespaceId: emptied, serviceName: "u" } });
  await sendNaming("DELETE", "/service", { query: { namespaceId: emptied, serviceName: "u" } });
  const all: { services: Record<string, unknown>; count: number } = JSON.parse(
    (await sendNaming("GET", "/service/names")).body,
  );
  expect(all.services).toMatchObject({ [namespaceId]: ["DEFAULT_GROUP@@s"], [other]: ["DEFAULT_GROUP@@t"] });
  expect(Object.keys(all.services)).not.toContain(emptied);
  expect(all.count).toBe(Object.values(all.services).flat().length);
});

test("S8: an unknown namespace has an empty list of names", async ({ expect }) => {
  const names = { [namespaceId]: [] };
  expect(parseBody(await ask("/service/names"))).toEqual({
    services: names,
    "META-INF/services": names,
    count: 0,
  });
});

test.for([
  { name: "a part", expr: "rder", found: ["DEFAULT_GROUP@@orders"] },
  { name: "the group", expr: "^DEFAULT", found: ["DEFAULT_GROUP@@orders", "DEFAULT_GROUP@@payments"] },
  {
    name: "an alternative",
    expr: "(orders|payments)$",
    found: ["DEFAULT_GROUP@@orders", "DEFAULT_GROUP@@payments"],
  },
  { name: "nothing", expr: "^nope$", found: [] },
  { name: "case", expr: "ORDERS", found: [] },
  { name: "case that does not matter", expr: "(?i)ORDERS", found: ["DEFAULT_GROUP@@orders"] },
  { name: "blank", expr: " ", found: ["DEFAULT_GROUP@@orders", "DEFAULT_GROUP@@payments"] },
])("S8: a pattern finds $name anywhere", async ({ expr, found }, { expect }) => {
  await make("orders", "payments");
  const names = { [namespaceId]: found };
  expect(parseBody(await ask("/service/names", { expr }))).toEqual({
    services: names,
    "META-INF/services": names,
    count: found.length,
  });
});

test("S8: a pattern that would take others an age runs in linear time", async ({ expect }) => {
  await make("a".repeat(500));
  const start = performance.now();
  expect((await ask("/service/names", { expr: "(a+)+(a*)*(a|a)*$x" })).status).toBe(200);
  expect((await ask("/service/names", { expr: "^(([a-z])+.)+[A-Z]([a-z])+$" })).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test.for([
  "((((a{30}){30}){30}){30}){30}",
  "(a{1000}){1000}",
  "(\\pL{200}\\PL{200}){200}",
  "(".repeat(128) + ")".repeat(128),
])("S8: the pattern %s, which grows large, holds nobody up", async (expr, { expect }) => {
  await make("a".repeat(500));
  const start = performance.now();
  expect((await ask("/service/names", { expr })).status).toBeLessThan(500);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test.for([
  { name: "an open bracket", expr: "(" },
  { name: "a look-ahead", expr: "(?=a)" },
  { name: "a back-reference", expr: "(a)\\1" },
  { name: "a repetition of nothing", expr: "*" },
])("S8: a pattern with $name is refused", async ({ expr }, { expect }) => {
  const answer = await ask("/service/names", { expr });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatch(/^Param 'expr' is illegal, it should be a regular expression of RE2: ./);
});

test("S8: a pattern has at most 256 characters", async ({ expect }) => {
  expect((await ask("/service/names", { expr: "a".repeat(256) })).status).toBe(200);
  expect(summarize(await ask("/service/names", { expr: "a".repeat(257) }))).toEqual(
    refusal("Param 'expr' is illegal, the param length should not exceed 256. (current length: 257)"),
  );
});

test("W8: names in the public namespace are found by all its spellings", async ({ expect }) => {
  const serviceName = uniqueName("orders");
  await sendNaming("POST", "/service", { query: { serviceName } });
  for (const query of [
    { namespaceId: "public", expr: serviceName },
    { namespaceId: "", expr: serviceName },
  ]) {
    expect(parseBody(await sendNaming("GET", "/service/names", { query }))).toMatchObject({
      services: { public: [`DEFAULT_GROUP@@${serviceName}`] },
      count: 1,
    });
  }
});
