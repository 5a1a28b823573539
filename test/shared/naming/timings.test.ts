import { test } from "vitest";
import { checkTimings, readTimings, toldIntervalMs, type Timings } from "../../../shared/naming/timings.ts";
import { metadata } from "../../support/builders.ts";

const INTERVAL = "preserved.heart.beat.interval";
const TIMEOUT = "preserved.heart.beat.timeout";
const REMOVAL = "preserved.ip.delete.timeout";
const DEFAULTS: Timings = { beatIntervalMs: 5_000, beatTimeoutMs: 15_000, deleteTimeoutMs: 30_000 };

test("L2: the defaults are those of Nacos, and each key sets one of them", ({ expect }) => {
  expect(readTimings(metadata({}))).toEqual(DEFAULTS);
  expect(readTimings(metadata({ [INTERVAL]: "1" }))).toEqual({ ...DEFAULTS, beatIntervalMs: 1 });
  expect(readTimings(metadata({ [TIMEOUT]: "2" }))).toEqual({ ...DEFAULTS, beatTimeoutMs: 2 });
  expect(readTimings(metadata({ [REMOVAL]: "3" }))).toEqual({ ...DEFAULTS, deleteTimeoutMs: 3 });
  expect(readTimings(metadata({ "PRESERVED.HEART.BEAT.INTERVAL": "1", ["__proto__"]: "1" }))).toEqual(
    DEFAULTS,
  );
});

test.for<[text: string, value: number | null]>([
  ["0", 0],
  ["1", 1],
  ["007", 7],
  ["999999999999999", 999_999_999_999_999],
  ["1000000000000000", null],
  ["9".repeat(10_000), null],
  ["", null],
  [" 1", null],
  ["1 ", null],
  ["1\n", null],
  ["-1", null],
  ["+1", null],
  ["1.0", null],
  ["1e3", null],
  ["0x10", null],
  ["1s", null],
  ["NaN", null],
  ["Infinity", null],
  ["null", null],
  ["٣", null],
  ["\ud800", null],
])("L2: %j as a timing", ([text, value], { expect }) => {
  expect(readTimings(metadata({ [INTERVAL]: text, [TIMEOUT]: text, [REMOVAL]: text }))).toEqual(
    value === null ? DEFAULTS : { beatIntervalMs: value, beatTimeoutMs: value, deleteTimeoutMs: value },
  );
});

test("O5: registered timings are read where the metadata in force do not name them", ({ expect }) => {
  const registered = metadata({ [INTERVAL]: "100", [TIMEOUT]: "200", [REMOVAL]: "300" });
  expect(readTimings(metadata({ a: "1" }), registered)).toEqual({
    beatIntervalMs: 100,
    beatTimeoutMs: 200,
    deleteTimeoutMs: 300,
  });
  expect(readTimings(metadata({ [TIMEOUT]: "250" }), registered)).toEqual({
    beatIntervalMs: 100,
    beatTimeoutMs: 250,
    deleteTimeoutMs: 300,
  });
});

test.for<[name: string, interval: number, timeout: number, removal: number, isGood: boolean]>([
  ["the defaults", 5_000, 15_000, 30_000, true],
  ["all equal", 5_000, 5_000, 5_000, true],
  ["all zero", 0, 0, 0, true],
  ["a timeout one below the interval", 5_000, 4_999, 30_000, false],
  ["a removal one below the interval", 5_000, 15_000, 4_999, false],
  ["both below the interval", 5_000, 1, 1, false],
  ["a removal below the timeout", 5_000, 15_000, 5_000, true],
  ["an interval one above the default timeout", 15_001, 15_000, 30_000, false],
])("L2: %s", ([, beatIntervalMs, beatTimeoutMs, deleteTimeoutMs, isGood], { expect }) => {
  expect(checkTimings({ beatIntervalMs, beatTimeoutMs, deleteTimeoutMs })).toBe(
    isGood
      ? null
      : "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.",
  );
});

test.for<[interval: number, told: number]>([
  [0, 1_000],
  [999, 1_000],
  [1_000, 1_000],
  [1_001, 1_001],
  [5_000, 5_000],
  [999_999_999_999_999, 999_999_999_999_999],
])("B9: an interval of %i is told as %i", ([beatIntervalMs, told], { expect }) => {
  expect(toldIntervalMs({ ...DEFAULTS, beatIntervalMs })).toBe(told);
});
