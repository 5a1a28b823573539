import { test } from "vitest";
import { NacosError } from "../../../shared/errors.ts";
import { decodeBatchTargets, decodeStatusesKey } from "../../../worker/codecs/batch.ts";

function refused(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof NacosError) return error.failure.message;
    throw error;
  }
}

test.for([
  { name: "absent", text: undefined, targets: [] },
  { name: "empty", text: "[]", targets: [] },
  { name: "an address", text: '[{"ip":"a","port":80}]', targets: [{ ip: "a", port: 80, clusterName: null }] },
  {
    name: "a port as text",
    text: '[{"ip":"a","port":"80"}]',
    targets: [{ ip: "a", port: 80, clusterName: null }],
  },
  {
    name: "a blank cluster",
    text: '[{"ip":"a","port":0,"clusterName":""}]',
    targets: [{ ip: "a", port: 0, clusterName: null }],
  },
  {
    name: "a cluster",
    text: '[{"ip":"[::1]","port":80,"clusterName":"c"}]',
    targets: [{ ip: "::1", port: 80, clusterName: "c" }],
  },
  {
    name: "what nobody knows",
    text: '[{"ip":"a","port":80,"weight":{},"__proto__":{"ip":"b"}}]',
    targets: [{ ip: "a", port: 80, clusterName: null }],
  },
])("O4: the instances of a batch edit, $name", ({ text, targets }, { expect }) => {
  expect(decodeBatchTargets(text)).toEqual(targets);
});

test.for([
  "null",
  "1",
  "{}",
  '"a"',
  "[",
  "[1]",
  "[null]",
  "[[]]",
  '[{"ip":"a b","port":80}]',
  '[{"ip":{},"port":80}]',
  '[{"ip":"a","port":true}]',
  '[{"ip":"a","port":80,"clusterName":{}}]',
])("W10: the instances %s are refused by name", (text, { expect }) => {
  expect(refused(() => decodeBatchTargets(text))).toMatch(/^Param 'instances' is illegal/);
});

test.for([
  { key: "g@@s", ref: ["public", "g", "s"] },
  { key: "n##g@@s", ref: ["n", "g", "s"] },
  { key: "##g@@s", ref: ["public", "g", "s"] },
  { key: "public##g@@a##b", ref: ["public", "g", "a##b"] },
])("W8: the key $key of statuses", ({ key, ref: [namespaceId, groupName, serviceName] }, { expect }) => {
  expect(decodeStatusesKey(key)).toEqual({ namespaceId, groupName, serviceName });
});

test.for([
  { key: "s", text: "Param 'serviceName' is illegal, it should be format as 'groupName@@serviceName'" },
  { key: "n##s", text: "Param 'serviceName' is illegal, it should be format as 'groupName@@serviceName'" },
  { key: "a b##g@@s", text: "Param 'namespaceId/tenant' is illegal" },
  { key: "n##a b@@s", text: "Param 'group' is illegal" },
  { key: "n##g@@a b", text: "Param 'serviceName' is illegal" },
  { key: "n##@@s", text: "Service name filter error,caused: Param 'serviceName' is illegal" },
])("W10: the key $key of statuses is refused", ({ key, text }, { expect }) => {
  expect(refused(() => decodeStatusesKey(key))?.startsWith(text)).toBe(true);
});
