import { test } from "vitest";
import { fullBeat, START, TestService } from "../../support/builders.ts";

function eventsOf(service: TestService): unknown[] {
  return service.changes.flatMap(({ events }) => events);
}

/** A service with one address in three clusters and another beside it. */
function crowded(ephemeral = true): TestService {
  const service = new TestService();
  for (const clusterName of ["DEFAULT", "a", "b"]) service.register({ clusterName, ephemeral });
  service.register({ port: 81, ephemeral });
  return service;
}

function places(service: TestService): string[] {
  return [...service.state.instances.values()].map(({ clusterName, port }) => `${clusterName}:${port}`);
}

test.for([true, false])("I6: with a cluster one goes (ephemeral: %s)", (ephemeral, { expect }) => {
  const service = crowded(ephemeral);
  expect(service.deregister({ clusterName: "a" })).toBe(1);
  expect(places(service)).toEqual(["DEFAULT:80", "b:80", "DEFAULT:81"]);
  expect(service.deregister({ clusterName: "DEFAULT" })).toBe(1);
  expect(places(service)).toEqual(["b:80", "DEFAULT:81"]);
});

test.for([true, false])(
  "I6: without a cluster all of the address go (ephemeral: %s)",
  (ephemeral, { expect }) => {
    const service = crowded(ephemeral);
    const { revision } = service.state.record;
    expect(service.deregister()).toBe(3);
    expect(places(service)).toEqual(["DEFAULT:81"]);
    expect(service.state.record.revision).toBe(revision + 1);
    const gone = ["DEFAULT", "a", "b"].map((clusterName, index) => ({
      seq: 5 + index,
      time: START,
      type: "deregistered",
      address: { clusterName, ip: "10.0.0.1", port: 80 },
      cause: "test",
      by: "tester",
    }));
    expect(eventsOf(service).slice(4)).toEqual(gone);
  },
);

test.for([
  ["an unknown address", { ip: "10.0.0.9" }],
  ["an unknown port", { port: 82 }],
  ["an unknown cluster", { clusterName: "c" }],
  ["a cluster in capitals", { clusterName: "A" }],
] as const)("I6: %s: none goes, and nothing changes", ([, address], { expect }) => {
  const service = crowded();
  const before = structuredClone(service.state);
  expect(service.deregister(address)).toBe(0);
  expect(service.state).toEqual(before);
  expect(service.changes).toHaveLength(4);
});

test("I6: twice is as once", ({ expect }) => {
  const service = crowded();
  expect([service.deregister(), service.deregister()]).toEqual([3, 0]);
});

test("I6: disabled and unhealthy ones go like any other", ({ expect }) => {
  const service = new TestService();
  service.register({ enabled: false });
  service.register({ clusterName: "a", healthy: false });
  expect(service.deregister()).toBe(2);
  expect(service.state).toMatchObject({
    counts: { total: 0, healthy: 0, enabled: 0, healthyAndEnabled: 0 },
    record: { exists: true, emptySince: START },
  });
});

test("I7: a deregistration ends the override", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.put({ weight: 5, enabled: false });
  service.deregister();
  service.register();
  expect(service.find()).toMatchObject({ override: null, effective: { weight: 1, enabled: true } });
});

test("I7: a deregistration ends an override that waits for its instance", ({ expect }) => {
  for (const clusterName of ["a", null]) {
    const service = new TestService();
    for (const cluster of ["a", "b"]) {
      service.register({ clusterName: cluster });
      service.put({ weight: 5 }, { clusterName: cluster });
    }
    service.run(30_000);
    expect(service.deregister({ clusterName })).toBe(0);
    for (const cluster of ["a", "b"]) service.register({ clusterName: cluster });
    const left = clusterName === null ? [1, 1] : [1, 5];
    expect(["a", "b"].map((cluster) => service.find({ clusterName: cluster })?.effective.weight)).toEqual(
      left,
    );
  }
});

test("I7: the waiting overrides of other addresses stay", ({ expect }) => {
  const service = new TestService();
  const others = [{ ip: "110.0.0.1" }, { port: 180 }, { ip: "x#80#10.0.0.1", port: 5 }];
  for (const fields of [{}, ...others]) {
    service.register(fields);
    service.put({ weight: 5 }, fields);
  }
  service.run(30_000).deregister();
  for (const fields of [{}, ...others]) service.register(fields);
  expect([{}, ...others].map((fields) => service.find(fields)?.effective.weight)).toEqual([1, 5, 5, 5]);
});

test("B5: full beats are held off for 5 s, and no longer", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  expect(service.run(4_999).beat(fullBeat())).toBe("unknown");
  expect(service.run(1).beat(fullBeat())).toBe("registered");
});

test("B5: deregistering what was not there holds nobody off", ({ expect }) => {
  const service = new TestService();
  service.deregister();
  expect(service.beat(fullBeat())).toBe("registered");
  service.run(30_000).deregister();
  expect(service.beat(fullBeat())).toBe("registered");
});

test("B5: deregistering again what has gone prolongs nothing", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  service.run(4_000).deregister();
  expect(service.run(1_000).beat(fullBeat())).toBe("registered");
});

test("B5: another address whose name ends alike is not held off", ({ expect }) => {
  const service = new TestService();
  const odd = { ip: "x#80#10.0.0.1", port: 5 };
  service.register(odd);
  service.deregister(odd);
  expect(service.beat(fullBeat())).toBe("registered");
});

test("B5: marks of deregistrations do not pile up", ({ expect }) => {
  const service = new TestService();
  for (let port = 1; port <= 100; port++) {
    service.register({ port });
    service.deregister({ port });
    service.run(1_000);
  }
  expect(service.state.deregisteredAt.size).toBeLessThanOrEqual(5);
});
