import { test } from "vitest";
import { planPatch } from "../../../shared/naming/edit.ts";
import { explainInstance } from "../../../shared/naming/why.ts";
import { parseMetadata } from "../../../shared/naming/metadata.ts";
import { checkAddress } from "../../../shared/naming/names.ts";
import { address, metadata, ORIGIN, START, TestService } from "../../support/builders.ts";

const INTERVAL = "preserved.heart.beat.interval";
const TIMEOUT = "preserved.heart.beat.timeout";
const REMOVAL = "preserved.ip.delete.timeout";
const GENERATOR = "preserved.instance.id.generator";

test("O5: timings that override and registration bring out of order give way to the registered ones", ({
  expect,
}) => {
  const service = new TestService();
  service.register();
  service.patch({ metadata: metadata({ [INTERVAL]: "10000" }) });
  expect(service.find()?.timings).toMatchObject({ beatIntervalMs: 10_000 });
  service.register({ metadata: metadata({ [INTERVAL]: "1000", [TIMEOUT]: "3000", [REMOVAL]: "4000" }) });
  expect(service.find()?.timings).toEqual({
    beatIntervalMs: 1_000,
    beatTimeoutMs: 3_000,
    deleteTimeoutMs: 4_000,
  });
  service.register();
  expect(service.find()?.timings).toMatchObject({ beatIntervalMs: 10_000 });
});

test("O5: a PATCH that brings timings out of order is refused all the same", ({ expect }) => {
  const service = new TestService();
  service.register();
  const edit = { metadata: metadata({ [INTERVAL]: "20000" }) };
  expect(planPatch(service.state, address(), edit, START, ORIGIN)).toMatchObject({
    ok: false,
    error: { name: "instanceInvalid" },
  });
});

test("I9: an edit cannot name an id generator that there is not", ({ expect }) => {
  const service = new TestService();
  service.register();
  const edit = { metadata: metadata({ [GENERATOR]: "dice" }) };
  expect(planPatch(service.state, address(), edit, START, ORIGIN)).toMatchObject({
    ok: false,
    error: { name: "instanceInvalid", message: expect.stringContaining("'dice'") },
  });
});

test("E1, E2: an event tells what was sent, not all that is in force, and a long cause is cut", ({
  expect,
}) => {
  const service = new TestService();
  service.register();
  service.patch({ metadata: metadata({ [`k${"x".repeat(900)}`]: "1" }) });
  service.patch({ weight: 3 });
  const causes = service.changes.flatMap(({ events }) => events.map(({ cause }) => cause));
  expect(causes.map((cause) => cause.length <= 301)).toEqual([true, true, true]);
  expect(causes.at(-1)).toBe("test: weight 3");
});

test("E4: a metadata key is not taken for a switch", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.patch({ enabled: false });
  service.run(1_000).patch({ metadata: metadata({ "a, enabled": "1", disabled: "2" }) });
  const events = service.changes.flatMap(({ events: told }) => told).toReversed();
  expect(explainInstance(service.state, address(), events, service.now)).toMatchObject({
    state: "disabled",
    since: START,
  });
});

test("N5, N10: half a surrogate pair is no part of an address, and is replaced in metadata", ({ expect }) => {
  expect(checkAddress("host\ud800")).toMatch(/^Param 'ip' is illegal/);
  expect(checkAddress("host\u{1f600}")).toBeNull();
  expect(parseMetadata(String.raw`{"a":"x\ud800"}`)).toEqual({ ok: true, value: metadata({ a: "x\ufffd" }) });
});
