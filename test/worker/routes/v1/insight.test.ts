import { beforeEach, test } from "vitest";
import { parseBody, refusal, sendNaming, summarize, uniqueName, type Answer } from "../../../support/http.ts";

const JSON_TYPE = "application/json;charset=UTF-8";
const AGENT = { "user-agent": "tester/1.0" };
let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("orders");
});

const AT = { ip: "10.0.0.1", port: "80" };

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters }, headers: AGENT });
}

async function events(
  parameters: Record<string, string> = {},
): Promise<{ events: { seq: number }[]; next: number }> {
  return JSON.parse((await send("GET", "/service/events", parameters)).body);
}

/** An event of the instance at `AT`, whenever it came. */
function event(seq: number, type: string, cause: string, expect: { any(type: unknown): unknown }): unknown {
  const address = { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 };
  return { seq, time: expect.any(Number), type, ...address, cause, by: "tester/1.0" };
}

test("E1: every transition is an event with seq, time, type, instance, cause and who", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, healthy: "false" });
  await send("PUT", "/instance/beat", AT);
  await send("PATCH", "/instance", { ...AT, weight: "2" });
  await send("DELETE", "/instance/override", { ...AT, field: "weight" });
  await send("POST", "/instance", { ...AT, weight: "3" });
  await send("DELETE", "/instance", AT);
  await send("DELETE", "/service");
  const answer = await send("GET", "/service/events");
  expect([answer.status, answer.contentType]).toEqual([200, JSON_TYPE]);
  expect(parseBody(answer)).toEqual({
    events: [
      {
        seq: 7,
        time: expect.any(Number),
        type: "service-deleted",
        clusterName: null,
        ip: null,
        port: null,
        cause: "DELETE /service",
        by: "tester/1.0",
      },
      event(6, "deregistered", "DELETE /instance", expect),
      event(5, "registered", "POST /instance (changed)", expect),
      event(4, "override-cleared", "DELETE /instance/override: weight", expect),
      event(3, "override-set", "PATCH /instance: weight 2", expect),
      event(2, "healthy", "beat", expect),
      event(1, "registered", "POST /instance, unhealthy until its first beat", expect),
    ],
    next: 7,
  });
});

test("E1: who is told with the address that the platform saw, and bounded", async ({ expect }) => {
  const headers = { "user-agent": "x".repeat(1_000), "cf-connecting-ip": "203.0.113.9" };
  await sendNaming("POST", "/instance", { query: { serviceName, ...AT }, headers });
  expect((await events()).events).toMatchObject([{ by: `203.0.113.9 ${"x".repeat(148)}` }]);
});

async function seqs(parameters: Record<string, string>): Promise<unknown> {
  const page = await events(parameters);
  return { seqs: page.events.map(({ seq }) => seq), next: page.next };
}

test("E3: events are told newest first, with after and limit; next is the after of a later call", async ({
  expect,
}) => {
  for (let weight = 1; weight <= 5; weight++)
    await send("POST", "/instance", { ...AT, weight: String(weight) });
  expect(await seqs({})).toEqual({ seqs: [5, 4, 3, 2, 1], next: 5 });
  expect(await seqs({ limit: "2" })).toEqual({ seqs: [5, 4], next: 5 });
  expect(await seqs({ after: "3" })).toEqual({ seqs: [5, 4], next: 5 });
  expect(await seqs({ after: "5" })).toEqual({ seqs: [], next: 5 });
  await send("POST", "/instance", { ...AT, weight: "6" });
  expect(await seqs({ after: "5" })).toEqual({ seqs: [6], next: 6 });
});

test("E3: without a limit a hundred are told", async ({ expect }) => {
  for (let weight = 1; weight <= 101; weight++)
    await send("POST", "/instance", { ...AT, weight: String(weight) });
  expect((await events()).events).toHaveLength(100);
  expect((await events({ limit: "1000" })).events).toHaveLength(101);
});

test("E3: a service that never was has no events, and is not made", async ({ expect }) => {
  expect(await events()).toEqual({ events: [], next: 0 });
  expect((await send("GET", "/service")).status).toBe(400);
});

test.for([
  {
    name: "after below 0",
    sent: { after: "-1" },
    text: "Param 'after' is illegal, it should be a whole number from 0 to 9007199254740991. (current: -1)",
  },
  {
    name: "after no number",
    sent: { after: "1e3" },
    text: "Param 'after' is illegal, it should be a whole number from 0 to 9007199254740991. (current: 1e3)",
  },
  {
    name: "limit 0",
    sent: { limit: "0" },
    text: "Param 'limit' is illegal, it should be a whole number from 1 to 1000. (current: 0)",
  },
  {
    name: "limit 1001",
    sent: { limit: "1001" },
    text: "Param 'limit' is illegal, it should be a whole number from 1 to 1000. (current: 1001)",
  },
])("E3: $name is refused", async ({ sent, text }, { expect }) => {
  expect(summarize(await send("GET", "/service/events", sent))).toEqual(refusal(text));
});

interface Why {
  readonly state: string;
  readonly since: number | null;
  readonly text: string;
  readonly events: readonly { readonly type: string; readonly time: number }[];
}

async function why(parameters: Record<string, string> = {}): Promise<Why> {
  return JSON.parse((await send("GET", "/instance/why", { ...AT, ...parameters })).body);
}

/** An explanation with its times taken out. */
function timeless({ state, text, events: told }: Why): unknown {
  const words = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replace(/\d+ ms ago/, "N ms ago");
  return { state, text: words, types: told.map(({ type }) => type) };
}

test("E4: why tells the state of an instance, since when and by what, or how it left", async ({ expect }) => {
  const nothing = await why();
  expect(nothing).toEqual({
    state: "unknown",
    since: null,
    text: `Nothing is known of 10.0.0.1:80 in DEFAULT_GROUP@@${serviceName}.`,
    events: [],
  });
  await send("POST", "/instance", AT);
  const healthy = await why();
  expect(healthy.since).toBe(healthy.events[0]?.time);
  expect(timeless(healthy)).toEqual({
    state: "healthy",
    text: "The instance is healthy. TIME: registered by tester/1.0 (POST /instance). Its lease was renewed N ms ago.",
    types: ["registered"],
  });
  await send("PATCH", "/instance", { ...AT, enabled: "false" });
  expect(timeless(await why())).toEqual({
    state: "disabled",
    text: "The instance is disabled and healthy. TIME: override-set by tester/1.0 (PATCH /instance: disabled). Its lease was renewed N ms ago. An operator set: disabled.",
    types: ["override-set", "registered"],
  });
  await send("DELETE", "/instance", AT);
  expect(timeless(await why())).toEqual({
    state: "deregistered",
    text: "The instance is gone. TIME: deregistered by tester/1.0 (DELETE /instance).",
    types: ["deregistered", "override-set", "registered"],
  });
});

test("E4: why of an unhealthy and of a persistent instance", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, healthy: "false", ephemeral: "false" });
  expect(timeless(await why())).toEqual({
    state: "unhealthy",
    text: "The instance is unhealthy. TIME: registered by tester/1.0 (POST /instance, unhealthy until its first beat). It is persistent: it lives until it is deregistered.",
    types: ["registered"],
  });
});

test("E4: why holds the last ten events of that instance and cluster only", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, clusterName: "b" });
  for (let weight = 1; weight <= 12; weight++)
    await send("POST", "/instance", { ...AT, weight: String(weight) });
  await send("POST", "/instance", { ...AT, ip: "10.0.0.2" });
  expect((await why({ clusterName: "DEFAULT" })).events).toHaveLength(10);
  expect((await why({ clusterName: "b" })).events).toHaveLength(1);
  expect(timeless(await why({ clusterName: "c" }))).toMatchObject({ state: "unknown", types: [] });
});

test("E4, N7: why finds an IPv6 address in any spelling", async ({ expect }) => {
  await send("POST", "/instance", { ip: "[2001:DB8:0::1]", port: "80" });
  expect(await why({ ip: "2001:db8::0:1" })).toMatchObject({
    state: "healthy",
    events: [{ ip: "2001:db8::1" }],
  });
});
