import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test, vi } from "vitest";
import type { CatalogueEntry } from "../../shared/naming/catalogue.ts";
import { uniqueName } from "../support/http.ts";
import { breakWrites, tablesOf } from "../support/objects.ts";

function entry(
  namespaceId: string,
  serviceName: string,
  changes: Partial<CatalogueEntry> = {},
): CatalogueEntry {
  return {
    ref: { namespaceId, groupName: "DEFAULT_GROUP", serviceName },
    clusterCount: 1,
    ipCount: 2,
    healthyInstanceCount: 1,
    triggerFlag: false,
    revision: 3,
    ...changes,
  };
}

const ALL = { groupName: null, offset: 0, limit: 100 };

test("S6, D1: an entry is kept whole, replaced by the next one, and there after an eviction", async ({
  expect,
}) => {
  const namespaceId = uniqueName("ns");
  const namespace = env.NAMESPACE.getByName(namespaceId);
  await namespace.put(entry(namespaceId, "orders"));
  const last = entry(namespaceId, "orders", { ipCount: 5, triggerFlag: true, revision: 4 });
  await namespace.put(last);
  expect(await namespace.page(ALL)).toEqual({ count: 1, entries: [last] });
  await evictDurableObject(namespace);
  expect(await namespace.page(ALL)).toEqual({ count: 1, entries: [last] });
  expect(await namespace.totals()).toEqual({ services: 1, instances: 5, healthyInstances: 1 });
});

test("S7: pages are in ascending order of group and name, by code point", async ({ expect }) => {
  const namespaceId = uniqueName("ns");
  const namespace = env.NAMESPACE.getByName(namespaceId);
  const names = ["b", "a", "B", "é", "a-1", "__proto__", "10", "9", "😀", "\uFF5E"];
  for (const name of names) await namespace.put(entry(namespaceId, name));
  const ascending = ["10", "9", "B", "__proto__", "a", "a-1", "b", "é", "\uFF5E", "😀"];
  const { entries } = await namespace.page(ALL);
  expect(entries.map(({ ref }) => ref.serviceName)).toEqual(ascending);
  for (const [offset, name] of ascending.entries()) {
    const page = await namespace.page({ groupName: "DEFAULT_GROUP", offset, limit: 1 });
    expect(page).toMatchObject({ count: names.length, entries: [{ ref: { serviceName: name } }] });
  }
  expect(await namespace.page({ ...ALL, offset: 10 })).toEqual({ count: 10, entries: [] });
  expect(await namespace.page({ ...ALL, groupName: "other" })).toEqual({ count: 0, entries: [] });
});

test("S6: the removal of what is not there changes nothing", async ({ expect }) => {
  const namespaceId = uniqueName("ns");
  const namespace = env.NAMESPACE.getByName(namespaceId);
  await namespace.remove(entry(namespaceId, "orders").ref);
  expect(await tablesOf(namespace)).toEqual([]);
  await namespace.put(entry(namespaceId, "orders"));
  await namespace.remove(entry(namespaceId, "other").ref);
  expect(await namespace.page(ALL)).toMatchObject({ count: 1 });
  await namespace.remove(entry(namespaceId, "orders").ref);
  expect(await namespace.page(ALL)).toEqual({ count: 0, entries: [] });
});

test("D5: a namespace that is merely asked for leaves nothing in storage", async ({ expect }) => {
  const namespace = env.NAMESPACE.getByName(uniqueName("ns"));
  expect(await namespace.page(ALL)).toEqual({ count: 0, entries: [] });
  expect(await namespace.totals()).toEqual({ services: 0, instances: 0, healthyInstances: 0 });
  expect(await tablesOf(namespace)).toEqual([]);
});

test("S8: the first service of a namespace makes it known, also where that failed at first", async ({
  expect,
}) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const namespaceId = uniqueName("ns");
  const namespace = env.NAMESPACE.getByName(namespaceId);
  const control = env.CONTROL.getByName("control");
  expect(await control.namespaces()).not.toContain(namespaceId);
  await breakWrites(namespace, "INSERT OR REPLACE INTO announcement");
  await expect((async () => await namespace.put(entry(namespaceId, "orders")))()).rejects.toThrow(
    "disk I/O error",
  );
  await namespace.put(entry(namespaceId, "orders"));
  await evictDurableObject(namespace);
  await namespace.put(entry(namespaceId, "payments"));
  const known = await control.namespaces();
  expect(known.filter((id) => id === namespaceId)).toEqual([namespaceId]);
  vi.restoreAllMocks();
});
