import { test } from "vitest";
import {
  DEFAULT_SETTINGS,
  emptyState,
  newRecord,
  sameSettings,
  serviceKind,
  type ServiceSettings,
} from "../../../shared/naming/service.ts";
import { metadata, REF, START, TestService } from "../../support/builders.ts";

test("V6: a service that nobody has made holds nothing and has nothing due", ({ expect }) => {
  expect(emptyState(newRecord(REF, START))).toEqual({
    record: {
      ref: REF,
      exists: false,
      isKept: false,
      settings: { protectThreshold: 0, metadata: new Map(), selector: { type: "none" } },
      revision: 0,
      lastRefTime: START,
      emptySince: null,
      protectedSince: null,
      isCatalogueDue: false,
      nextSlot: 1,
    },
    instances: new Map(),
    byAddress: new Map(),
    clusterSizes: new Map(),
    counts: { total: 0, healthy: 0, enabled: 0, healthyAndEnabled: 0 },
    clusterSettings: new Map(),
    orphanedOverrides: new Map(),
    deregisteredAt: new Map(),
    eventSeq: 0,
    checkpointAt: Number.NEGATIVE_INFINITY,
    isBusy: false,
    lastBeatAt: Number.NEGATIVE_INFINITY,
    nextDue: Number.POSITIVE_INFINITY,
  });
});

test("I5: the kind of a service is that of its instances, none while it has none", ({ expect }) => {
  for (const [ephemeral, kind] of [
    [true, "ephemeral"],
    [false, "persistent"],
  ] as const) {
    const service = new TestService();
    expect(serviceKind(service.state)).toBeNull();
    service.register({ ephemeral });
    expect(serviceKind(service.state)).toBe(kind);
    service.deregister();
    expect(serviceKind(service.state)).toBeNull();
  }
});

const LABEL = { type: "label", expression: "", labels: [] } as const;

test.for([
  ["the same", {}, true],
  ["metadata that are the same", { metadata: metadata({}) }, true],
  ["another threshold", { protectThreshold: 0.005 }, false],
  ["other metadata", { metadata: metadata({ a: "1" }) }, false],
  ["another selector", { selector: LABEL }, false],
] as [string, Partial<ServiceSettings>, boolean][])(
  "V1: settings with %s",
  ([, changes, same], { expect }) => {
    const changed = { ...DEFAULT_SETTINGS, ...changes };
    expect([sameSettings(DEFAULT_SETTINGS, changed), sameSettings(changed, DEFAULT_SETTINGS)]).toEqual([
      same,
      same,
    ]);
  },
);

test("V1: two labels are told apart by their expressions", ({ expect }) => {
  const label = { ...DEFAULT_SETTINGS, selector: LABEL };
  const other = { ...DEFAULT_SETTINGS, selector: { ...LABEL, expression: " " } };
  expect([sameSettings(label, structuredClone(label)), sameSettings(label, other)]).toEqual([true, false]);
});
