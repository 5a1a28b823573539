import { test } from "vitest";
import { makeInstanceId, readIdGenerator } from "../../../shared/naming/instance-id.ts";
import { simpleInstanceId } from "../../../shared/naming/instance.ts";
import { metadata, REF, START, TestService } from "../../support/builders.ts";

const KEY = "preserved.instance.id.generator";
const SNOWFLAKE = metadata({ [KEY]: "snowflake" });
const EPOCH = 1_533_429_240_000;
const AT = { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 };

test.for([
  ["absent", {}, "simple"],
  ["blank", { [KEY]: " " }, "simple"],
  ["simple", { [KEY]: "simple" }, "simple"],
  ["snowflake", { [KEY]: "snowflake" }, "snowflake"],
  ["snowflake with spaces", { [KEY]: " snowflake " }, "snowflake"],
] as [string, Record<string, string>, string][])(
  "I9: a generator that is %s",
  ([, entries, generator], { expect }) => {
    expect(readIdGenerator(metadata(entries))).toEqual({ ok: true, value: generator });
  },
);

test.for(["uuid", "Snowflake", "__proto__", "toString"])(
  "I9: the generator %s is refused",
  (name, { expect }) => {
    const message = `The InstanceIdGenerator type '${name}' in metadata '${KEY}' is not found, allowed: simple, snowflake`;
    expect(readIdGenerator(metadata({ [KEY]: name }))).toEqual({
      ok: false,
      error: { name: "instanceInvalid", message },
    });
  },
);

test("I9: the simple id tells address, cluster and service", ({ expect }) => {
  expect(simpleInstanceId(REF, AT)).toBe("10.0.0.1#80#DEFAULT#DEFAULT_GROUP@@orders");
  const odd = { clusterName: "c-1", ip: "fe80::1%eth0", port: 0 };
  expect(simpleInstanceId({ ...REF, groupName: "g:1", serviceName: "a#b" }, odd)).toBe(
    "fe80::1%eth0#0#c-1#g:1@@a#b",
  );
});

test.for([
  ["the first instant", EPOCH, 0, 0n],
  ["the first slot", EPOCH, 1, 1n],
  ["a millisecond", EPOCH + 1, 1, (1n << 22n) | 1n],
  ["the last slot of 22 bits", EPOCH, 4_194_303, 4_194_303n],
  ["a slot beyond", EPOCH, 4_194_304, 0n],
  ["a clock before the epoch", 0, 7, 7n],
  ["our days", 1_800_000_000_000, 7, (266_570_760_000n << 22n) | 7n],
] as const)("I9: the snowflake id of %s", ([, now, slot, number], { expect }) => {
  expect(makeInstanceId(REF, AT, now, slot)).toBe(`${number}#DEFAULT#DEFAULT_GROUP@@orders`);
});

test("I9: a snowflake id stays over registrations, beats and edits, and is new after the instance was gone", ({
  expect,
}) => {
  const service = new TestService();
  service.register({ metadata: SNOWFLAKE });
  const first = service.find()?.instanceId;
  expect(first).toBe("1#DEFAULT#DEFAULT_GROUP@@orders");
  service.now += 1_000;
  service.register({ metadata: SNOWFLAKE, weight: 2 });
  service.patch({ metadata: metadata({ zone: "a" }) });
  service.patch({ metadata: metadata({ [KEY]: null }) });
  expect(service.find()?.instanceId).toBe(first);
  service.deregister();
  service.register({ metadata: SNOWFLAKE });
  expect(service.find()?.instanceId).toBe("2#DEFAULT#DEFAULT_GROUP@@orders");
});

test("I9: a registration may choose the other generator", ({ expect }) => {
  const service = new TestService();
  service.register();
  const simple = "10.0.0.1#80#DEFAULT#DEFAULT_GROUP@@orders";
  expect(service.find()?.instanceId).toBe(simple);
  service.register({ metadata: SNOWFLAKE });
  expect(service.find()?.instanceId).toBe("1#DEFAULT#DEFAULT_GROUP@@orders");
  service.register();
  expect(service.find()?.instanceId).toBe(simple);
});

test("I9: no two snowflake ids of a service meet, at one moment and over a clock that stands", ({
  expect,
}) => {
  const service = new TestService();
  const ids = new Set<string | undefined>();
  for (let port = 0; port < 500; port++) {
    service.register({ port, metadata: SNOWFLAKE });
    ids.add(service.find({ port })?.instanceId);
    if (port % 2 === 0) service.deregister({ port });
  }
  expect(ids.size).toBe(500);
  expect(service.now).toBe(START);
});
