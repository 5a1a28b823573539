import { test } from "vitest";
import type { RegistryEvent } from "../../../shared/naming/event.ts";
import { listDelta } from "../../../shared/push/delta.ts";
import { emptyReason } from "../../../shared/push/empty-reason.ts";
import { newPublication, updatedPublication } from "../../../shared/push/publication.ts";
import {
  placeOf,
  readResumeToken,
  sessionObjectName,
  shardOf,
  writeResumeToken,
} from "../../../shared/push/session-name.ts";
import { emptyState, newRecord } from "../../../shared/naming/service.ts";

function list(revision: number, hosts: readonly unknown[], more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    name: "G@@s",
    hosts,
    lastRefTime: revision,
    checksum: `${revision}`,
    revision,
    ...more,
  });
}
function host(ip: string, weight = 1, clusterName = "DEFAULT"): Record<string, unknown> {
  return { ip, port: 80, clusterName, weight };
}

test.for([
  {
    name: "a host that came",
    before: [host("1")],
    after: [host("1"), host("2")],
    delta: { changed: [host("2")], removed: [] },
  },
  {
    name: "a host that left",
    before: [host("1"), host("2")],
    after: [host("2")],
    delta: { changed: [], removed: [{ ip: "1", port: 80, clusterName: "DEFAULT" }] },
  },
  {
    name: "a host that changed",
    before: [host("1")],
    after: [host("1", 5)],
    delta: { changed: [host("1", 5)], removed: [] },
  },
  {
    name: "the same address in another cluster",
    before: [host("1")],
    after: [host("1", 1, "B")],
    delta: { changed: [host("1", 1, "B")], removed: [{ ip: "1", port: 80, clusterName: "DEFAULT" }] },
  },
  { name: "nothing", before: [host("1")], after: [host("1")], delta: { changed: [], removed: [] } },
])("U5: a delta says $name", ({ before, after, delta }, { expect }) => {
  expect(listDelta(list(1, before), list(2, after))).toEqual(delta);
});

test("U5: where more than hosts differs there is no delta", ({ expect }) => {
  expect(listDelta(list(1, []), list(2, [], { reachProtectionThreshold: true }))).toBe(null);
});

function left(type: RegistryEvent["type"], clusterName = "DEFAULT"): RegistryEvent {
  return { seq: 1, time: 1, type, address: { clusterName, ip: "1", port: 80 }, cause: "", by: "" };
}

test.for([
  {
    name: "an explicit deregistration",
    events: [left("deregistered")],
    clusters: "",
    reason: "deregistered",
  },
  { name: "an expiry", events: [left("expired"), left("registered")], clusters: "", reason: "expired" },
  {
    name: "the newest that left",
    events: [left("expired"), left("deregistered")],
    clusters: "",
    reason: "expired",
  },
  {
    name: "one of the clusters asked for",
    events: [left("expired", "A"), left("deregistered", "B")],
    clusters: "B",
    reason: "deregistered",
  },
  { name: "nothing, where nothing left", events: [], clusters: "", reason: null },
  {
    name: "nothing, where another cluster's left",
    events: [left("expired", "A")],
    clusters: "B",
    reason: null,
  },
] as const)("U6: the reason of an empty list is $name", ({ events, clusters, reason }, { expect }) => {
  const state = emptyState(newRecord({ namespaceId: "n", groupName: "g", serviceName: "s" }, 0));
  expect(emptyReason(state, clusters, events)).toBe(reason);
});

test("U6: the reason of a list whose instances are all disabled says so", ({ expect }) => {
  const state = emptyState(newRecord({ namespaceId: "n", groupName: "g", serviceName: "s" }, 0));
  state.clusterSizes.set("A", 1);
  expect([emptyReason(state, "A", []), emptyReason(state, "B", [])]).toEqual(["disabled", null]);
});

test("U12: an update changes only what is sent, and null takes a key away", ({ expect }) => {
  const made = newPublication({ ip: "10.0.0.1", port: 80, metadata: { a: "1", b: 2, c: true } });
  expect(made).toEqual({
    ip: "10.0.0.1",
    port: 80,
    clusterName: "DEFAULT",
    weight: 1,
    enabled: true,
    metadata: { a: "1", b: "2", c: "true" },
  });
  const address = { ip: "10.0.0.1", port: 80 };
  const updated = updatedPublication(made, { ...address, weight: 3, metadata: { a: null, d: "4" } });
  expect(updated).toEqual({ ...made, weight: 3, metadata: { b: "2", c: "true", d: "4" } });
  expect(updatedPublication(updated, { ...address, enabled: false })).toEqual({ ...updated, enabled: false });
});

test("U11: a resume token tells where its session is, and other texts are none", ({ expect }) => {
  const token = { region: "weur", shard: 3, sessionId: "0a-1b", secret: "2c" };
  expect(readResumeToken(writeResumeToken(token))).toEqual(token);
  for (const text of ["", "a.b", "weur.3.x", "weur.3.0a.ZZ", "weur.99999.0a.0a", "weur.3.0a.0a.0a"])
    expect(readResumeToken(text), text).toBe(null);
  const place = { namespaceId: "dev", region: "weur", shard: 2 };
  expect(placeOf(sessionObjectName(place))).toEqual(place);
});

test("U1: clients are spread over all shards, each always to the same", ({ expect }) => {
  const counts = [0, 0, 0, 0];
  for (let index = 0; index < 4_000; index++) {
    const shard = shardOf(`client-${index}`, counts.length);
    counts[shard] = (counts[shard] ?? 0) + 1;
    expect(shardOf(`client-${index}`, counts.length)).toBe(shard);
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
});
