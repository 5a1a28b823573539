import { test } from "vitest";
import { ListCache, MAX_KEPT_BYTES } from "../../durable-objects/list-cache.ts";
import { emptyState, newRecord, type ServiceState } from "../../shared/naming/service.ts";

const ref = { namespaceId: "public", groupName: "DEFAULT_GROUP", serviceName: "orders" };

function stateOf(revision: number, note = ""): ServiceState {
  const record = newRecord(ref, 0);
  return emptyState({
    ...record,
    exists: true,
    revision,
    settings: { ...record.settings, metadata: new Map([["note", note]]) },
  });
}

const ALL = { clusters: "", healthyOnly: false };

test("V5: a list is rendered once for a revision and a query", ({ expect }) => {
  const cache = new ListCache();
  const body = cache.body(stateOf(1, "first"), "all", ALL);
  expect(cache.body(stateOf(1, "not looked at"), "all", ALL)).toBe(body);
  expect(cache.body(stateOf(1), "other", { ...ALL, clusters: "c" })).toContain('"clusters":"c"');
  expect(cache.body(stateOf(2, "second"), "all", ALL)).toContain('"note":"second"');
});

test("V5: all caches of an isolate together keep a bounded number of bytes", ({ expect }) => {
  const large = "x".repeat(MAX_KEPT_BYTES / 8);
  const caches = Array.from({ length: 6 }, () => new ListCache());
  for (const cache of caches) cache.body(stateOf(1, large), "all", ALL);
  const stillThere = caches.map(
    (cache) => !cache.body(stateOf(1, "rendered again"), "all", ALL).includes("again"),
  );
  // The newest three fit beside what is rendered again; the oldest were dropped first.
  expect(stillThere).toEqual([false, false, false, true, true, true]);
});

test("V5: a body that alone is larger than the bound is handed out all the same", ({ expect }) => {
  const cache = new ListCache();
  const body = cache.body(stateOf(1, "x".repeat(MAX_KEPT_BYTES / 2 + 1)), "all", ALL);
  expect(body.length).toBeGreaterThan(MAX_KEPT_BYTES / 2);
  expect(cache.body(stateOf(1), "all", ALL)).toBe(body);
});

test("V5: many long keys do not pile up, and lists of services that do not exist are not kept", ({
  expect,
}) => {
  const cache = new ListCache();
  const body = cache.body(stateOf(1, "kept"), "first", ALL);
  const missing = new ListCache();
  const none = emptyState(newRecord(ref, 0));
  const key = "%E4%B8%AD".repeat(4_000);
  for (let index = 0; index < 5_000; index++) missing.body(none, key + index, ALL);
  expect(cache.body(stateOf(1, "not rendered again"), "first", ALL)).toBe(body);
  for (let index = 0; index < 1_000; index++) cache.body(stateOf(1), key + index, ALL);
  expect(cache.body(stateOf(1, "rendered again"), "first", ALL)).toContain("rendered again");
});
