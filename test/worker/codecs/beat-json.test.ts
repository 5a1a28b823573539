import { test } from "vitest";
import { NacosError, type Failure } from "../../../shared/errors.ts";
import { decodeBeat } from "../../../worker/codecs/beat-json.ts";

type Sent = Parameters<typeof decodeBeat>[0];

function refused(sent: Sent): Failure | null {
  try {
    decodeBeat(sent);
    return null;
  } catch (error) {
    if (error instanceof NacosError) return error.failure;
    throw error;
  }
}

const DEFAULTS = { weight: 1, enabled: true, healthy: true, ephemeral: true, metadata: new Map() };

test.for([
  { name: "nothing", sent: {}, beat: { ip: "", port: 0, clusterName: null } },
  { name: "an address", sent: { ip: "[::1]", port: 80 }, beat: { ip: "::1", port: 80, clusterName: null } },
  {
    name: "a cluster",
    sent: { ip: "a", port: 80, clusterName: "c" },
    beat: { ip: "a", port: 80, clusterName: "c" },
  },
])("B3: a light beat with $name", ({ sent, beat }, { expect }) => {
  expect(decodeBeat(sent)).toEqual({ ...beat, registration: null });
});

test.for([
  {
    name: "an ip alone",
    json: '{"ip":"10.0.0.1"}',
    beat: { ip: "10.0.0.1", port: 0, clusterName: null },
    more: {},
  },
  {
    name: "everything",
    json: '{"ip":"[2001:DB8::1]","port":80,"cluster":"c","weight":0.5,"metadata":{"a":"b"}}',
    beat: { ip: "2001:db8::1", port: 80, clusterName: "c" },
    more: { weight: 0.5, metadata: new Map([["a", "b"]]) },
  },
  {
    name: "numbers as text",
    json: '{"ip":"10.0.0.1","port":"80","weight":"2.50"}',
    beat: { ip: "10.0.0.1", port: 80, clusterName: null },
    more: { weight: 2.5 },
  },
  {
    name: "nulls and blanks",
    json: '{"ip":" 10.0.0.1 ","port":null,"cluster":"","weight":" ","metadata":null}',
    beat: { ip: "10.0.0.1", port: 0, clusterName: null },
    more: {},
  },
  {
    name: "what nobody knows",
    json: '{"ip":"10.0.0.1","serviceName":"g@@x","scheduled":false,"ephemeral":false,"enabled":false,"period":5000}',
    beat: { ip: "10.0.0.1", port: 0, clusterName: null },
    more: {},
  },
  {
    name: "metadata of all kinds",
    json: '{"ip":"a","metadata":{"n":1.50,"b":true,"e":"","z":null,"__proto__":"p","big":12345678901234567890}}',
    beat: { ip: "a", port: 0, clusterName: null },
    more: {
      metadata: new Map([
        ["n", "1.50"],
        ["b", "true"],
        ["e", ""],
        ["__proto__", "p"],
        ["big", "12345678901234567890"],
      ]),
    },
  },
])("B4: a full beat with $name", ({ json, beat, more }, { expect }) => {
  expect(decodeBeat({ beat: json })).toEqual({ ...beat, registration: { ...DEFAULTS, ...more } });
});

test("B7: ip, port and cluster of the JSON win over the parameters, one by one", ({ expect }) => {
  const parameters = { ip: "p", port: 1, clusterName: "p" };
  expect(decodeBeat({ ...parameters, beat: '{"ip":"j","port":2,"cluster":"j"}' })).toMatchObject({
    ip: "j",
    port: 2,
    clusterName: "j",
  });
  expect(decodeBeat({ ...parameters, beat: '{"port":2}' })).toMatchObject({
    ip: "p",
    port: 2,
    clusterName: "p",
  });
  expect(decodeBeat({ ...parameters, beat: "{}" })).toMatchObject(parameters);
});

const NO_OBJECT = "Param 'beat' is illegal, it should be a JSON object.";

test.for([
  { name: "no JSON", json: "beat", text: NO_OBJECT },
  { name: "JSON that is cut", json: '{"ip":"10.0.0.1"', text: NO_OBJECT },
  { name: "null", json: "null", text: NO_OBJECT },
  { name: "an array", json: "[]", text: NO_OBJECT },
  { name: "a text", json: '"10.0.0.1"', text: NO_OBJECT },
  { name: "a number", json: "1", text: NO_OBJECT },
  {
    name: "objects a hundred thousand deep",
    json: '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000),
    text: NO_OBJECT,
  },
  {
    name: "an ip that is an object",
    json: '{"ip":{}}',
    text: "Param 'beat' is illegal, its field 'ip' should be a text or a number.",
  },
  {
    name: "a port that is a boolean",
    json: '{"ip":"a","port":true}',
    text: "Param 'beat' is illegal, its field 'port' should be a text or a number.",
  },
  {
    name: "a port out of range",
    json: '{"ip":"a","port":65536}',
    text: "Param 'port' is illegal, the value should be between 0 and 65535. (current: 65536)",
  },
  {
    name: "a broken port",
    json: '{"ip":"a","port":80.5}',
    text: "Param 'port' is illegal, the value should be between 0 and 65535. (current: 80.5)",
  },
  {
    name: "a bad cluster",
    json: '{"ip":"a","cluster":"c_1"}',
    text: "Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: c_1)",
  },
  { name: "a weight that is none", json: '{"ip":"a","weight":"heavy"}', text: 'For input string: "heavy"' },
  {
    name: "metadata that are a text",
    json: '{"ip":"a","metadata":"a=b"}',
    text: "Param 'beat' is illegal, its metadata should be an object.",
  },
  {
    name: "metadata that are an array",
    json: '{"ip":"a","metadata":[]}',
    text: "Param 'beat' is illegal, its metadata should be an object.",
  },
  {
    name: "metadata that are deep",
    json: '{"ip":"a","metadata":{"k":{}}}',
    text: "Param 'beat' is illegal, its metadata 'k' should be a text.",
  },
  {
    name: "too many metadata",
    json: JSON.stringify({ ip: "a", metadata: { k: "x".repeat(65_536) } }),
    text: "Param 'beat' is illegal, its metadata should not exceed 65536 characters. (65537)",
  },
])("B8: a beat with $name is refused", ({ json, text }, { expect }) => {
  expect(refused({ beat: json })).toEqual({ name: "parameterInvalid", message: text });
});

test.for([
  { name: "above the range", weight: "10000.5" },
  { name: "below it", weight: "-1" },
  { name: "far above it", weight: "1e999" },
])("B8, N9: a weight $name is refused by the range's text", ({ weight }, { expect }) => {
  expect(refused({ beat: `{"ip":"a","weight":${weight}}` })).toEqual({
    name: "weightInvalid",
    message: "instance format invalid: The weights range from 0.0 to 10000.0",
  });
});

test("B8: a full beat without an ip anywhere is refused", ({ expect }) => {
  for (const beat of ["{}", '{"ip":""}', '{"ip":null,"port":80}']) {
    expect(refused({ beat, port: 80 })).toEqual({
      name: "parameterMissing",
      message: "Param 'ip' is required.",
    });
  }
});
