import { test } from "vitest";
import { listClusters, planClusterUpdate, planHealth } from "../../../shared/naming/cluster.ts";
import { DEFAULT_CLUSTER_SETTINGS, type ClusterSettings } from "../../../shared/naming/cluster-settings.ts";
import { planDeletion } from "../../../shared/naming/settings.ts";
import { address, lightBeat, metadata, ORIGIN, START, TestService } from "../../support/builders.ts";

const DEFAULTS = {
  healthChecker: { type: "TCP" },
  checkPort: 80,
  usesInstancePort: true,
  metadata: new Map(),
};
const SETTINGS: ClusterSettings = {
  healthChecker: { type: "HTTP", path: "/health", headers: "", expectedResponseCode: 200 },
  checkPort: 8_080,
  usesInstancePort: false,
  metadata: metadata({ a: "1" }),
};
const UNCHECKED: ClusterSettings = { ...DEFAULT_CLUSTER_SETTINGS, healthChecker: { type: "NONE" } };

function set(service: TestService, name: string, settings: ClusterSettings): void {
  const planned = planClusterUpdate(service.state, name, settings, service.now, ORIGIN);
  if (!planned.ok) throw new Error(planned.error.message);
  service.commit(planned.value);
}

test("C1: clusters with instances are listed by name, with what was set or the defaults", ({ expect }) => {
  const service = new TestService();
  for (const clusterName of ["b", "DEFAULT", "a"]) service.register({ clusterName });
  set(service, "a", SETTINGS);
  set(service, "c", SETTINGS);
  expect(listClusters(service.state)).toEqual([
    { name: "DEFAULT", ...DEFAULTS },
    { name: "a", ...SETTINGS },
    { name: "b", ...DEFAULTS },
  ]);
});

test("C1: settings wait for the first instance and stay when the last one goes", ({ expect }) => {
  const service = new TestService();
  service.register({ clusterName: "b" });
  set(service, "a", SETTINGS);
  expect(listClusters(service.state).map(({ name }) => name)).toEqual(["b"]);
  for (let turn = 0; turn < 2; turn++) {
    service.register({ clusterName: "a" });
    expect(listClusters(service.state)[0]).toEqual({ name: "a", ...SETTINGS });
    service.deregister({ clusterName: "a" });
    expect(listClusters(service.state).map(({ name }) => name)).toEqual(["b"]);
  }
});

test("C1: settings are replaced as a whole", ({ expect }) => {
  const service = new TestService();
  service.register();
  set(service, "DEFAULT", SETTINGS);
  set(service, "DEFAULT", DEFAULT_CLUSTER_SETTINGS);
  expect(listClusters(service.state)).toEqual([{ name: "DEFAULT", ...DEFAULTS }]);
});

test("C1: settings go with the service", ({ expect }) => {
  const service = new TestService();
  service.register();
  set(service, "DEFAULT", SETTINGS);
  service.deregister();
  const planned = planDeletion(service.state, START, ORIGIN);
  service.commit(planned.ok ? planned.value : null);
  service.register();
  expect(listClusters(service.state)).toEqual([{ name: "DEFAULT", ...DEFAULTS }]);
});

test("C1, V1, E1: what changes settings is one revision, what changes none is none", ({ expect }) => {
  const service = new TestService();
  service.register();
  const revisions = [SETTINGS, structuredClone(SETTINGS), UNCHECKED].map((settings) => {
    set(service, "DEFAULT", settings);
    return service.state.record.revision;
  });
  expect(revisions).toEqual([2, 2, 3]);
  expect(service.changes[1]?.events).toEqual([
    {
      seq: 2,
      time: START,
      type: "service-edited",
      address: null,
      cause: "test: cluster DEFAULT, HTTP",
      by: "tester",
    },
  ]);
});

test("C1, N12: clusters named like built-in properties have settings of their own", ({ expect }) => {
  const service = new TestService();
  for (const clusterName of ["constructor", "toString"]) service.register({ clusterName });
  set(service, "constructor", SETTINGS);
  expect(listClusters(service.state)).toEqual([
    { name: "constructor", ...SETTINGS },
    { name: "toString", ...DEFAULTS },
  ]);
});

test("C1: settings for a service that is not there are refused", ({ expect }) => {
  const { state } = new TestService();
  expect(planClusterUpdate(state, "a", SETTINGS, START, ORIGIN)).toEqual({
    ok: false,
    error: { name: "serviceNotFound", message: "service not found:DEFAULT_GROUP@@orders" },
  });
});

function health(service: TestService, healthy: boolean, at = {}): unknown {
  const planned = planHealth(service.state, address(at), healthy, service.now, ORIGIN);
  if (planned.ok) service.commit(planned.value);
  return planned.ok ? (planned.value === null ? "nothing" : "changed") : planned.error;
}

test("C3, E1: health is set by hand where nothing probes", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false });
  set(service, "DEFAULT", UNCHECKED);
  expect([health(service, false), health(service, false)]).toEqual(["changed", "nothing"]);
  expect(service.find()).toMatchObject({ healthy: false, lastBeat: START });
  expect(health(service, true)).toBe("changed");
  expect(service.find()?.healthy).toBe(true);
  const told = { address: { clusterName: "DEFAULT", ip: "10.0.0.1", port: 80 }, cause: "test", by: "tester" };
  expect(service.changes.slice(2).flatMap(({ events }) => events)).toMatchObject([
    { type: "unhealthy", ...told },
    { type: "healthy", ...told },
  ]);
});

function working(cluster: string): unknown {
  return {
    name: "healthChecked",
    message: `health check is still working, service: DEFAULT_GROUP@@orders, cluster: ${cluster}`,
  };
}

test("C3: it is refused where a checker works", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false });
  service.register({ ephemeral: false, clusterName: "a" });
  set(service, "DEFAULT", UNCHECKED);
  const before = structuredClone(service.state);
  expect(health(service, false, { clusterName: "a" })).toEqual(working("a"));
  expect(service.state).toEqual(before);
  set(service, "DEFAULT", SETTINGS);
  expect(health(service, false)).toEqual(working("DEFAULT"));
});

test("C3: it is refused for an ephemeral instance", ({ expect }) => {
  const service = new TestService();
  service.register();
  set(service, "DEFAULT", UNCHECKED);
  expect(health(service, false)).toEqual(working("DEFAULT"));
  service.beat(lightBeat());
  expect(service.find()?.healthy).toBe(true);
});

test("C3: for one that is not there it is ok; without a cluster DEFAULT is meant", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false, clusterName: "a" });
  for (const name of ["DEFAULT", "a"]) set(service, name, UNCHECKED);
  const before = structuredClone(service.state);
  expect([health(service, false), health(service, false, { port: 81 })]).toEqual(["nothing", "nothing"]);
  expect(service.state).toEqual(before);
  expect(health(service, false, { clusterName: "a" })).toBe("changed");
});

test("C3, P4: health by hand begins and ends protection, and nobody waits for a removal", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false });
  set(service, "DEFAULT", UNCHECKED);
  service.configure({ protectThreshold: 0.5 });
  health(service, false);
  expect(service.state.record.protectedSince).toBe(START);
  health(service, true);
  expect(service.state.record.protectedSince).toBeNull();
  expect(service.run(3_600_000).find()?.healthy).toBe(true);
});
