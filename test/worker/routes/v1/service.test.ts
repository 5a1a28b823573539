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
  serviceName = uniqueName("orders");
});

const AT = { ip: "10.0.0.1", port: "80" };

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

const LABEL = '{"type":"label","expression":"CONSUMER.label.a = PROVIDER.label.a"}';

test("S1, S2: a service made by hand, as GET shows it", async ({ expect }) => {
  const settings = { protectThreshold: "0.8", metadata: '{"owner":"team","n":1.50}', selector: LABEL };
  expect(summarize(await send("POST", "/service", settings))).toEqual(OK);
  await send("POST", "/instance", { ...AT, clusterName: "b" });
  await send("POST", "/instance", { ...AT, clusterName: "a" });
  const answer = await send("GET", "/service");
  expect([answer.status, answer.contentType]).toEqual([200, "application/json;charset=UTF-8"]);
  const cluster = { healthChecker: { type: "TCP" }, metadata: {} };
  expect(parseBody(answer)).toEqual({
    namespaceId: "public",
    groupName: "DEFAULT_GROUP",
    name: serviceName,
    protectThreshold: 0.8,
    metadata: { owner: "team", n: "1.50" },
    selector: {
      type: "label",
      expression: "CONSUMER.label.a = PROVIDER.label.a",
      labels: ["a"],
      contextType: "CMDB",
    },
    clusters: [
      { name: "a", ...cluster },
      { name: "b", ...cluster },
    ],
  });
});

test("S1: a service that its first instance made has defaults", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, groupName: "g" });
  expect(parseBody(await send("GET", "/service", { groupName: "g" }))).toEqual({
    namespaceId: "public",
    groupName: "g",
    name: serviceName,
    protectThreshold: 0,
    metadata: {},
    selector: { type: "none", contextType: "NONE" },
    clusters: [{ name: "DEFAULT", healthChecker: { type: "TCP" }, metadata: {} }],
  });
});

test.for([
  { name: "by hand", make: () => send("POST", "/service") },
  { name: "by an instance", make: () => send("POST", "/instance", AT) },
])("S2: making a service that was made $name is refused", async ({ make }, { expect }) => {
  await make();
  const before = summarize(await send("GET", "/service"));
  expect(summarize(await send("POST", "/service", { protectThreshold: "0.5" }))).toEqual(
    refusal(`specified service DEFAULT_GROUP@@${serviceName} already exists!`),
  );
  expect(summarize(await send("GET", "/service"))).toEqual(before);
});

test("S2: editing, deleting and showing what is not there is refused in 2.x's words", async ({ expect }) => {
  const name = `DEFAULT_GROUP@@${serviceName}`;
  const missing = refusal(`service ${name} not found!`);
  expect(summarize(await send("PUT", "/service", { protectThreshold: "0" }))).toEqual(missing);
  expect(summarize(await send("DELETE", "/service"))).toEqual(missing);
  expect(summarize(await send("GET", "/service"))).toEqual(
    refusal(`service not found, namespace: public, serviceName: ${name}`),
  );
});

test("S2: PUT replaces all settings; what is left out has its default", async ({ expect }) => {
  await send("POST", "/service", { protectThreshold: "0.8", metadata: "a=b", selector: LABEL });
  expect(summarize(await send("PUT", "/service", { protectThreshold: "0.1" }))).toEqual(OK);
  expect(parseBody(await send("GET", "/service"))).toMatchObject({
    protectThreshold: 0.1,
    metadata: {},
    selector: { type: "none", contextType: "NONE" },
  });
});

test("S3: a service with instances cannot be deleted", async ({ expect }) => {
  await send("POST", "/instance", AT);
  expect(summarize(await send("DELETE", "/service"))).toEqual(
    refusal(
      `Service DEFAULT_GROUP@@${serviceName} is not empty, can't be delete. Please unregister instance first`,
    ),
  );
  await send("DELETE", "/instance", AT);
  expect(summarize(await send("DELETE", "/service"))).toEqual(OK);
  expect((await send("GET", "/service")).status).toBe(400);
});

test("S5, V2: one that is deleted and made again starts with fresh settings, and its revision goes on", async ({
  expect,
}) => {
  await send("POST", "/service", { protectThreshold: "0.8", metadata: "a=b" });
  await send("DELETE", "/service");
  await send("POST", "/instance", AT);
  expect(parseBody(await send("GET", "/service"))).toMatchObject({ protectThreshold: 0, metadata: {} });
  expect(parseBody(await send("GET", "/instance/list"))).toMatchObject({ revision: 3 });
});

test.for([
  { sent: "0", shown: 0 },
  { sent: "1", shown: 1 },
  { sent: "1.5", shown: 1.5 },
  { sent: "0.1", shown: 0.1 },
  { sent: ".5", shown: 0.5 },
  { sent: "1e-1", shown: 0.1 },
  { sent: "0.5f", shown: 0.5 },
])("S2: protectThreshold $sent is shown as $shown", async ({ sent, shown }, { expect }) => {
  expect(summarize(await send("POST", "/service", { protectThreshold: sent }))).toEqual(OK);
  expect(parseBody(await send("GET", "/service"))).toMatchObject({ protectThreshold: shown });
});

test("P1: a threshold below 0 acts as 0", async ({ expect }) => {
  expect(summarize(await send("POST", "/service", { protectThreshold: "-1" }))).toEqual(OK);
  await send("POST", "/instance", { ...AT, healthy: "false" });
  expect(parseBody(await send("GET", "/instance/list"))).toMatchObject({
    reachProtectionThreshold: false,
    hosts: [{ healthy: false }],
  });
});

test.for(["NaN", "Infinity", "-Infinity", "half", "0,5", "0x1", "1e999", "--1"])(
  "W10: protectThreshold %s is refused",
  async (protectThreshold, { expect }) => {
    expect(summarize(await send("POST", "/service", { protectThreshold }))).toEqual(
      refusal(`Param 'protectThreshold' is illegal, it should be a number. (current: ${protectThreshold})`),
    );
    expect((await send("GET", "/service")).status).toBe(400);
  },
);

test.for([
  { name: "none", sent: '{"type":"none"}', shown: { type: "none", contextType: "NONE" } },
  {
    name: "a label without expression",
    sent: '{"type":"label"}',
    shown: { type: "label", expression: "", labels: [] },
  },
  {
    name: "two labels",
    sent: '{"type":"label","expression":"CONSUMER.label.a=PROVIDER.label.a & CONSUMER.label.b=PROVIDER.label.b"}',
    shown: { type: "label", labels: ["a", "b"], contextType: "CMDB" },
  },
  { name: "encoded once more", sent: encodeURIComponent(LABEL), shown: { type: "label", labels: ["a"] } },
  {
    name: "encoded twice more, with its plus",
    sent: encodeURIComponent(LABEL).replaceAll("%20", "+"),
    shown: { labels: ["a"] },
  },
])("N13: a selector, $name, is stored and shown", async ({ sent, shown }, { expect }) => {
  expect(summarize(await send("POST", "/service", { selector: sent }))).toEqual(OK);
  expect(parseBody(await send("GET", "/service"))).toMatchObject({ selector: shown });
});

test.for([
  { name: "no JSON", sent: "label", text: "Param 'selector' is illegal, it should be a JSON object: label" },
  {
    name: "no object",
    sent: '["label"]',
    text: `Param 'selector' is illegal, it should be a JSON object: ["label"]`,
  },
  { name: "an unknown type", sent: '{"type":"dice"}', text: "not match any type of selector!" },
  { name: "no type", sent: "{}", text: "not match any type of selector!" },
  {
    name: "an expression that cannot be parsed",
    sent: '{"type":"label","expression":"a=b"}',
    text: "Selector parses failed: parse expression failed!",
  },
  {
    name: "an expression that is no text",
    sent: '{"type":"label","expression":{}}',
    text: "Selector parses failed: parse expression failed!",
  },
])(
  "N13: a selector with $name is refused, and an update so refused leaves the old one",
  async ({ sent, text }, { expect }) => {
    expect(summarize(await send("POST", "/service", { selector: sent }))).toEqual(refusal(text));
    expect((await send("GET", "/service")).status).toBe(400);
    await send("POST", "/service", { selector: LABEL });
    const update = { protectThreshold: "0.5", selector: sent };
    expect(summarize(await send("PUT", "/service", update))).toEqual(refusal(text));
    expect(parseBody(await send("GET", "/service"))).toMatchObject({
      protectThreshold: 0,
      selector: { labels: ["a"] },
    });
  },
);

test("S4: a service that was made by hand stays without instances", async ({ expect }) => {
  await send("POST", "/service");
  await send("POST", "/instance", AT);
  await send("DELETE", "/instance", AT);
  expect(parseBody(await send("GET", "/service"))).toMatchObject({ name: serviceName, clusters: [] });
});
