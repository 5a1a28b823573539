import { test } from "vitest";
import {
  clearOverrideField,
  describeOverride,
  mergeMetadataOverride,
  overrideMetadata,
  patchOverride,
  replaceOverride,
  sameOverride,
  type MetadataOverride,
  type Override,
} from "../../../shared/naming/override.ts";
import { metadata } from "../../support/builders.ts";

const REGISTERED = metadata({ zone: "a", version: "1" });

function replace(values: Record<string, string>): MetadataOverride {
  return { mode: "replace", values: metadata(values) };
}

function merge(values: Record<string, string>, ...hidden: string[]): MetadataOverride {
  return { mode: "merge", values: metadata(values), hidden: new Set(hidden) };
}

test.for([
  ["no override", undefined, { zone: "a", version: "1" }],
  ["a replacement", replace({ x: "1" }), { x: "1" }],
  ["a replacement by nothing", replace({}), {}],
  ["a merged key", merge({ x: "1" }), { zone: "a", version: "1", x: "1" }],
  ["a registered key with another value", merge({ zone: "b" }), { zone: "b", version: "1" }],
  ["a hidden key", merge({}, "zone"), { version: "1" }],
  ["a hidden key that nobody has", merge({}, "x", "__proto__"), { zone: "a", version: "1" }],
] as [string, MetadataOverride | undefined, Record<string, string>][])(
  "O1: metadata under %s",
  ([, override, effective], { expect }) => {
    expect(overrideMetadata(REGISTERED, override)).toEqual(metadata(effective));
    expect(REGISTERED).toEqual(metadata({ zone: "a", version: "1" }));
  },
);

test.for([
  ["into nothing", undefined, { x: "1", y: null }, merge({ x: "1" }, "y")],
  ["an empty edit into nothing", undefined, {}, merge({})],
  [
    "over merged keys",
    merge({ x: "1", z: "2" }, "y"),
    { x: "3", w: "4" },
    merge({ x: "3", z: "2", w: "4" }, "y"),
  ],
  ["a null over a merged key", merge({ x: "1" }), { x: null }, merge({}, "x")],
  ["a value over a hidden key", merge({}, "x"), { x: "1" }, merge({ x: "1" })],
  ["into a replacement", replace({ x: "1" }), { y: "2" }, replace({ x: "1", y: "2" })],
  ["a null into a replacement", replace({ x: "1" }), { x: null, y: null }, replace({})],
] as [string, MetadataOverride | undefined, Record<string, string | null>, MetadataOverride][])(
  "O3, O4: metadata merge %s",
  ([, current, edit, merged], { expect }) => {
    const before = structuredClone(current);
    expect(mergeMetadataOverride(current, metadata(edit))).toEqual(merged);
    expect(current).toEqual(before);
  },
);

const FULL: Override = { weight: 2, enabled: false, metadata: merge({ x: "1" }, "y") };

test.for([
  ["nothing, over nothing", null, {}, { weight: 1, enabled: true }],
  ["nothing, over all", FULL, {}, { weight: 1, enabled: true, metadata: merge({ x: "1" }, "y") }],
  ["a weight", FULL, { weight: 0 }, { weight: 0, enabled: true, metadata: merge({ x: "1" }, "y") }],
  ["enabled", null, { enabled: false }, { weight: 1, enabled: false }],
  [
    "metadata",
    FULL,
    { metadata: metadata({ z: "1", n: null }) },
    { weight: 1, enabled: true, metadata: replace({ z: "1" }) },
  ],
  ["empty metadata", FULL, { metadata: metadata({}) }, { weight: 1, enabled: true, metadata: replace({}) }],
] as [string, Override | null, Parameters<typeof replaceOverride>[1], Override][])(
  "O2: PUT of %s",
  ([, current, sent, override], { expect }) => {
    expect(replaceOverride(current, sent)).toEqual(override);
  },
);

test.for([
  ["nothing, over nothing", null, {}, {}],
  ["nothing, over all", FULL, {}, FULL],
  ["a weight of 0", FULL, { weight: 0 }, { ...FULL, weight: 0 }],
  ["enabled", FULL, { enabled: true }, { ...FULL, enabled: true }],
  ["metadata, over nothing", null, { metadata: metadata({ a: "1" }) }, { metadata: merge({ a: "1" }) }],
  [
    "metadata, over all",
    FULL,
    { metadata: metadata({ y: "2" }) },
    { ...FULL, metadata: merge({ x: "1", y: "2" }) },
  ],
] as [string, Override | null, Parameters<typeof patchOverride>[1], Override][])(
  "O3: PATCH of %s",
  ([, current, sent, override], { expect }) => {
    expect(patchOverride(current, sent)).toEqual(override);
  },
);

test.for([
  ["one field of three", FULL, "weight", { enabled: false, metadata: merge({ x: "1" }, "y") }],
  ["the only field", { weight: 2 }, "weight", null],
  ["a field that is not overridden", { weight: 2 }, "enabled", { weight: 2 }],
  ["all", FULL, undefined, null],
  ["all of nothing", null, undefined, null],
  ["one field of nothing", null, "metadata", null],
] as [string, Override | null, "weight" | "enabled" | "metadata" | undefined, Override | null][])(
  "O10: clearing %s",
  ([, current, field, left], { expect }) => {
    expect(clearOverrideField(current, field)).toEqual(left);
  },
);

test.for([
  [null, null, true],
  [null, {}, false],
  [FULL, structuredClone(FULL), true],
  [FULL, { ...FULL, weight: 3 }, false],
  [FULL, { ...FULL, enabled: true }, false],
  [FULL, { ...FULL, metadata: merge({ x: "1" }, "z") }, false],
  [FULL, { ...FULL, metadata: merge({ x: "1" }, "y", "z") }, false],
  [FULL, { ...FULL, metadata: replace({ x: "1" }) }, false],
  [{ weight: 1 }, {}, false],
  [{ metadata: merge({}) }, { metadata: replace({}) }, false],
  [{ metadata: replace({ a: "1" }) }, { metadata: replace({ a: "1" }) }, true],
  [{ metadata: replace({ a: "1" }) }, {}, false],
] as [Override | null, Override | null, boolean][])(
  "V1: overrides %o and %o: the same is %s",
  ([a, b, same], { expect }) => {
    expect([sameOverride(a, b), sameOverride(b, a)]).toEqual([same, same]);
  },
);

test.for([
  [{ weight: 0.5 }, "weight 0.5"],
  [{ enabled: true }, "enabled"],
  [FULL, "weight 2, disabled, metadata set (x), metadata hidden (y)"],
  [{ metadata: replace({ a: "1", b: "2" }) }, "metadata replaced (a, b)"],
] as [Override, string][])("E1: %o in words", ([override, words], { expect }) => {
  expect(describeOverride(override)).toBe(words);
});
