import { beforeEach, test } from "vitest";
import { OK, parseBody, refusal, sendNaming, summarize, uniqueName, type Answer } from "../support/http.ts";

let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("orders");
});

const AT = { ip: "10.0.0.1", port: "80" };
const WEIGHT_RANGE = "instance format invalid: The weights range from 0.0 to 10000.0";

function send(method: string, parameters: Record<string, string>): Promise<Answer> {
  return sendNaming(method, "/instance", { form: { serviceName, ...AT, ...parameters } });
}

async function detail(): Promise<unknown> {
  return parseBody(await sendNaming("GET", "/instance", { query: { serviceName, ...AT, view: "full" } }));
}

test.for([
  { sent: "0", shown: 0 },
  { sent: "10000", shown: 10_000 },
  { sent: "0.1", shown: 0.1 },
  { sent: "0.30000000000000004", shown: 0.300_000_000_000_000_04 },
  { sent: "1e-300", shown: 1e-300 },
  { sent: "1E2", shown: 100 },
  { sent: ".5", shown: 0.5 },
  { sent: "3.", shown: 3 },
  { sent: "+1.5", shown: 1.5 },
  { sent: "2.5d", shown: 2.5 },
  { sent: "-0", shown: -0 },
])("N9: a weight of $sent is kept exactly", async ({ sent, shown }, { expect }) => {
  for (const method of ["POST", "PUT", "PATCH"]) {
    expect(summarize(await send(method, { weight: sent }))).toEqual(OK);
    expect(await detail()).toMatchObject({ weight: Math.abs(shown) });
  }
});

test.for([
  { sent: "-0.1", text: WEIGHT_RANGE },
  { sent: "10000.1", text: WEIGHT_RANGE },
  { sent: "NaN", text: WEIGHT_RANGE },
  { sent: "Infinity", text: WEIGHT_RANGE },
  { sent: "-Infinity", text: WEIGHT_RANGE },
  { sent: "1e999", text: WEIGHT_RANGE },
  { sent: "heavy", text: 'For input string: "heavy"' },
  { sent: "1,5", text: 'For input string: "1,5"' },
  { sent: "0x10", text: 'For input string: "0x10"' },
  { sent: "1_000", text: 'For input string: "1_000"' },
])("N9: a weight of $sent is refused", async ({ sent, text }, { expect }) => {
  await send("POST", {});
  for (const method of ["POST", "PUT", "PATCH"]) {
    expect(summarize(await send(method, { weight: sent }))).toEqual(refusal(text));
  }
  expect(await detail()).toMatchObject({ weight: 1, override: null });
});

test("W10, N9: a weight of a megabyte of digits is refused without delay", async ({ expect }) => {
  for (const weight of ["1".repeat(1_000_000), `${"1".repeat(1_000_000)}x`]) {
    const start = performance.now();
    expect((await send("POST", { weight })).status).toBe(400);
    expect(performance.now() - start).toBeLessThan(1_000);
  }
});

test.for(["true", "TRUE", "t", "Yes", "y", "ON"])("W7: %s is true", async (word, { expect }) => {
  await send("POST", { enabled: word, healthy: word, ephemeral: word });
  expect(await detail()).toMatchObject({ enabled: true, healthy: true, ephemeral: true });
});

test.for(["false", "1", "0", "no", "off", "null", "wahr", "truee"])(
  "W7: %s is false",
  async (word, { expect }) => {
    await send("POST", { enabled: word, healthy: word, ephemeral: word });
    expect(await detail()).toMatchObject({ enabled: false, healthy: false, ephemeral: false });
  },
);

test("W7: a blank boolean is its default", async ({ expect }) => {
  await send("POST", { enabled: " ", healthy: "", ephemeral: " " });
  expect(await detail()).toMatchObject({ enabled: true, healthy: true, ephemeral: true });
});

interface GoodMetadata {
  readonly name: string;
  readonly sent: string;
  readonly shown: Readonly<Record<string, string>>;
}

const GOOD_METADATA: readonly GoodMetadata[] = [
  { name: "JSON", sent: '{"a":"b"}', shown: { a: "b" } },
  { name: "pairs", sent: "a=b,c=d,", shown: { a: "b", c: "d" } },
  {
    name: "numbers in their spelling",
    sent: '{"n":1.50,"big":12345678901234567890}',
    shown: { n: "1.50", big: "12345678901234567890" },
  },
  { name: "booleans", sent: '{"t":true,"f":false}', shown: { t: "true", f: "false" } },
  { name: "null values", sent: '{"a":null,"b":"c"}', shown: { b: "c" } },
  { name: "the word null", sent: "null", shown: {} },
  { name: "an empty object", sent: "{}", shown: {} },
  { name: "text after the closing brace", sent: '{"a":"b"} and more', shown: { a: "b" } },
  {
    name: "awkward characters",
    sent: '{"u":"a+b%25&c=d,e\\"}","中":"文 😀"}',
    shown: { u: 'a+b%25&c=d,e"}', 中: "文 😀" },
  },
  {
    name: "JavaScript's names",
    sent: '{"constructor":"a","toString":"b"}',
    shown: { constructor: "a", toString: "b" },
  },
];

test.for(GOOD_METADATA)("N10: metadata, $name", async ({ sent, shown }, { expect }) => {
  for (const method of ["POST", "PUT"]) {
    expect(summarize(await send(method, { metadata: sent }))).toEqual(OK);
    const { metadata }: { metadata: unknown } = JSON.parse(JSON.stringify(await detail()));
    expect(metadata).toEqual(shown);
  }
});

test("N12: __proto__ is a plain key of metadata, by every way in", async ({ expect }) => {
  const metadata = '{"__proto__":"x"}';
  await send("POST", { metadata });
  const answer = await sendNaming("GET", "/instance/list", { query: { serviceName } });
  expect(answer.body).toContain(`"metadata":${metadata}`);
  await send("PATCH", { metadata: '{"__proto__":"y"}' });
  const beat = '{"ip":"10.0.0.2","port":80,"metadata":{"__proto__":"z"},"__proto__":{"ip":"10.9.9.9"}}';
  await sendNaming("PUT", "/instance/beat", { form: { serviceName, beat } });
  const after = await sendNaming("GET", "/instance/list", { query: { serviceName } });
  expect(after.body).toContain('"metadata":{"__proto__":"y"}');
  expect(after.body).toContain('"metadata":{"__proto__":"z"}');
  expect(after.body).not.toContain("10.9.9.9");
});

test.for([
  "a",
  "a=b,c",
  "a=b=c",
  "a=",
  '{"a":{}}',
  '{"a":["b"]}',
  '{"a":"b"',
  '["a"]',
  "{a:1}",
  '{"a":"b\\x"}',
])("N10: metadata %s is refused with its raw text", async (sent, { expect }) => {
  for (const method of ["POST", "PUT", "PATCH"]) {
    expect(summarize(await send(method, { metadata: sent }))).toEqual(
      refusal(`metadata format incorrect:${sent}`),
    );
  }
  expect((await sendNaming("GET", "/service", { query: { serviceName } })).status).toBe(400);
});

test.for([
  { name: "an ASCII value", metadata: (length: number) => ({ k: "x".repeat(length - 1) }) },
  { name: "a long key", metadata: (length: number) => ({ ["k".repeat(length - 1)]: "x" }) },
  { name: "three bytes each", metadata: (length: number) => ({ k: "中".repeat(length - 1) }) },
])("N11: metadata of one request have at most 1024 characters: $name", async ({ metadata }, { expect }) => {
  expect(summarize(await send("POST", { metadata: JSON.stringify(metadata(1_024)) }))).toEqual(OK);
  const text = "Param 'Metadata' is illegal, the param length should not exceed 1024. (current length: 1025)";
  for (const method of ["POST", "PUT", "PATCH"]) {
    expect(summarize(await send(method, { metadata: JSON.stringify(metadata(1_025)) }))).toEqual(
      refusal(text),
    );
  }
});

test.for([
  { name: "a bare group", serviceName: "g@@", why: "it should be format as 'groupName@@serviceName'" },
  { name: "a bare service", serviceName: "@@s", why: "groupName can't be empty" },
  { name: "neither", serviceName: "@@", why: "it should be format as 'groupName@@serviceName'" },
])("W9: $name is a 400 page and does nothing", async ({ serviceName: name, why }, { expect }) => {
  const namespaceId = uniqueName("ns");
  for (const [method, path] of [
    ["POST", "/instance"],
    ["GET", "/instance/list"],
    ["PUT", "/instance/beat"],
    ["POST", "/service"],
  ] as const) {
    const answer = await sendNaming(method, path, { query: { namespaceId, serviceName: name, ...AT } });
    const { timestamp: _timestamp, ...page }: { timestamp: string } = JSON.parse(answer.body);
    expect(page).toEqual({
      status: 400,
      error: "Bad Request",
      message: `Service name filter error,caused: Param 'serviceName' is illegal, ${why};`,
      path: `/nacos/v1/ns${path}`,
    });
  }
  const list = await sendNaming("GET", "/service/list", {
    query: { namespaceId, groupName: "*", pageNo: "1", pageSize: "9" },
  });
  expect(parseBody(list)).toEqual({ count: 0, doms: [] });
});

test("W9: a grouped name wins over groupName; dom is an old name of serviceName", async ({ expect }) => {
  const sent = { dom: `g@@${serviceName}`, groupName: "other", ...AT };
  expect(summarize(await sendNaming("POST", "/instance", { query: sent }))).toEqual(OK);
  for (const query of [
    sent,
    { serviceName, groupName: "g" },
    { serviceName: `g@@${serviceName}`, dom: "x" },
  ]) {
    const list = parseBody(await sendNaming("GET", "/instance/list", { query }));
    expect(list).toMatchObject({ name: `g@@${serviceName}`, groupName: "g", hosts: [{ ip: "10.0.0.1" }] });
  }
});
