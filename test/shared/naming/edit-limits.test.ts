import { test } from "vitest";
import { planBatchEdit, planPatch } from "../../../shared/naming/edit.ts";
import { metadataLength } from "../../../shared/naming/metadata.ts";
import { address, metadata, ORIGIN, SHORT_TIMINGS, START, TestService } from "../../support/builders.ts";

const INTERVAL = "preserved.heart.beat.interval";
const TIMEOUT = "preserved.heart.beat.timeout";
const OUT_OF_ORDER =
  "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.";

function patch(service: TestService, entries: Record<string, string | null>): unknown {
  return planPatch(service.state, address(), { metadata: metadata(entries) }, service.now, ORIGIN);
}

test("O5: registered timings stay in force under an edit that does not name them", ({ expect }) => {
  for (const edit of ["put", "patch"] as const) {
    const service = new TestService();
    service.register({ metadata: SHORT_TIMINGS });
    service[edit]({ metadata: metadata({ zone: "a" }) });
    expect(service.find()?.timings).toEqual({
      beatIntervalMs: 1_000,
      beatTimeoutMs: 3_000,
      deleteTimeoutMs: 6_000,
    });
    expect(service.run(3_000).find()?.healthy).toBe(false);
  }
});

test("O5: timings that an edit names win, for the lease that runs too", ({ expect }) => {
  const service = new TestService();
  service.register({ metadata: SHORT_TIMINGS });
  service.patch({ metadata: metadata({ [TIMEOUT]: "2000" }) });
  expect(service.run(1_999).find()?.healthy).toBe(true);
  expect(service.run(1).find()?.healthy).toBe(false);
  service.register({ metadata: SHORT_TIMINGS });
  expect(service.run(2_000).find()?.healthy).toBe(false);
});

test("O5: timings that an edit stretches hold the lease that runs", ({ expect }) => {
  const service = new TestService();
  service.register({ metadata: SHORT_TIMINGS });
  service.run(2_000).patch({ metadata: metadata({ [TIMEOUT]: "5000" }) });
  expect(service.run(2_999).find()?.healthy).toBe(true);
  expect(service.run(1).find()?.healthy).toBe(false);
});

test("O5: an edit that brings timings out of order is refused, and nothing changes", ({ expect }) => {
  const service = new TestService();
  service.register({ metadata: SHORT_TIMINGS });
  const before = structuredClone(service.state);
  const refusal = { ok: false, error: { name: "instanceInvalid", message: OUT_OF_ORDER } };
  expect(patch(service, { [TIMEOUT]: "999" })).toEqual(refusal);
  expect(patch(service, { [INTERVAL]: "3001" })).toEqual(refusal);
  expect(patch(service, { [INTERVAL]: "3000" })).toMatchObject({ ok: true });
  expect(service.state).toEqual(before);
});

test("O5: persistent instances may name any timings", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false });
  expect(patch(service, { [TIMEOUT]: "1" })).toMatchObject({ ok: true });
});

test("O5: an override whose timings no longer fit the registration hinders no other edit", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.patch({ metadata: metadata({ [TIMEOUT]: "8000" }) });
  service.register({ metadata: metadata({ [INTERVAL]: "10000", [TIMEOUT]: "20000" }) });
  expect(planPatch(service.state, address(), { enabled: false }, START, ORIGIN)).toMatchObject({ ok: true });
});

/** An instance whose metadata in force have this many characters. */
function gathered(length: number): TestService {
  const service = new TestService();
  service.register({ metadata: metadata({ a: "x".repeat(length - 1) }) });
  return service;
}

test("N11: edits may gather 65,536 characters, and none more", ({ expect }) => {
  const service = gathered(65_000);
  service.patch({ metadata: metadata({ b: "y".repeat(535) }) });
  const message =
    "Param 'Metadata' is illegal, all metadata of an instance should not exceed 65536. (current length: 65537)";
  expect(patch(service, { c: "" })).toEqual({ ok: false, error: { name: "metadataInvalid", message } });
  expect(patch(service, { c: null })).toMatchObject({ ok: true });
  expect(patch(service, { b: "y" })).toMatchObject({ ok: true });
});

test("N11: a registration over an override gathers no more either", ({ expect }) => {
  const service = gathered(2);
  for (let edit = 0; edit < 60; edit++) {
    service.patch({ metadata: metadata({ [`k${edit}`]: "y".repeat(1_000) }) });
  }
  try {
    service.register({ metadata: metadata({ b: "x".repeat(60_000) }) });
  } catch {
    // A refusal keeps the bound as well.
  }
  expect(metadataLength(service.find()?.effective.metadata ?? new Map())).toBeLessThanOrEqual(65_536);
});

test("N11: keys that edits hide are bounded too", ({ expect }) => {
  const service = gathered(2);
  try {
    for (let edit = 0; edit < 100; edit++) {
      service.patch({ metadata: metadata({ [`k${edit}`.padEnd(1_000, "x")]: null }) });
    }
  } catch {
    // Refused: as good as any other way to stay within the bound.
  }
  const override = service.find()?.override?.metadata;
  const hidden = override?.mode === "merge" ? [...override.hidden].join("") : "";
  expect(hidden.length).toBeLessThanOrEqual(65_536);
});

test("N12: an override of odd keys is an override like any other", ({ expect }) => {
  const service = gathered(2);
  service.patch({ metadata: metadata({ constructor: "1", toString: null }) });
  const odd: Record<string, string> = JSON.parse('{"__proto__":"2"}');
  service.patch({ metadata: metadata(odd) });
  expect([...(service.find()?.effective.metadata ?? [])]).toEqual([
    ["a", "x"],
    ["constructor", "1"],
    ["__proto__", "2"],
  ]);
});

test("O4: a batch that is refused for one changes none", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.register({ port: 81, metadata: SHORT_TIMINGS });
  const before = structuredClone(service.state);
  const edit = { addresses: null, metadata: metadata({ [INTERVAL]: "4000" }) };
  expect(planBatchEdit(service.state, edit, START, ORIGIN)).toEqual({
    ok: false,
    error: { name: "instanceInvalid", message: OUT_OF_ORDER },
  });
  expect(service.state).toEqual(before);
});
