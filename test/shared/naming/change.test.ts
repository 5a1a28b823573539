import { test } from "vitest";
import { countsAfter, finishChange, newDraft } from "../../../shared/naming/change.ts";
import { expire } from "../../../shared/naming/expiry.ts";
import { planDeregistration, planRegistration } from "../../../shared/naming/registration.ts";
import { DEFAULT_SETTINGS, serviceKind } from "../../../shared/naming/service.ts";
import { planCreation, planDeletion } from "../../../shared/naming/settings.ts";
import {
  address,
  lightBeat,
  ORIGIN,
  registration,
  SHORT_TIMINGS,
  START,
  TestService,
} from "../../support/builders.ts";
import { unwrapped } from "../../support/stored-examples.ts";

const MINUTE = 60_000;
const YEAR = 365 * 24 * 3_600_000;

function weight(service: TestService): number | undefined {
  return service.find()?.effective.weight;
}

/** A service whose one instance expired with an override, at the time it is left at. */
function orphanedService(): TestService {
  const service = new TestService();
  service.register();
  service.configure({});
  service.put({ weight: 5 });
  return service.run(30_000);
}

test("D4: a plan that is never applied leaves memory as it was", ({ expect }) => {
  const service = orphanedService();
  service.register({ port: 81 });
  const before = structuredClone(service.state);
  const { state } = service;
  planRegistration(state, registration({ weight: 9 }), service.now, ORIGIN);
  planDeregistration(state, address(), service.now, ORIGIN);
  planDeregistration(state, address({ port: 81 }), service.now, ORIGIN);
  planDeletion(state, service.now, ORIGIN);
  expire(state, START + YEAR);
  expect(state).toEqual(before);
});

test("V1: a draft of nothing is no change", ({ expect }) => {
  const service = new TestService();
  service.register();
  expect(finishChange(service.state, newDraft(), START)).toBeNull();
  expect(expire(service.state, START + 14_999)).toBeNull();
});

test.for([
  ["healthy", {}, [1, 1, 1, 1]],
  ["unhealthy", { healthy: false }, [1, 0, 1, 0]],
  ["disabled", { enabled: false }, [1, 1, 0, 0]],
  ["disabled and unhealthy", { enabled: false, healthy: false }, [1, 0, 0, 0]],
] as const)("S9: counts of a %s instance that comes, changes and goes", ([, fields, counts], { expect }) => {
  const service = new TestService();
  const found = (): number[] => Object.values(service.state.counts);
  service.register(fields);
  expect(found()).toEqual(counts);
  service.register();
  expect(found()).toEqual([1, 1, 1, 1]);
  service.register(fields);
  expect(countsAfter(service.state, newDraft())).toEqual(service.state.counts);
  expect(found()).toEqual(counts);
  service.deregister();
  expect(found()).toEqual([0, 0, 0, 0]);
});

test("I1: an address in several clusters is several instances, found by it and counted by cluster", ({
  expect,
}) => {
  const service = new TestService();
  for (const clusterName of ["a", "b", "a"]) service.register({ clusterName });
  service.register({ clusterName: "b", port: 81 });
  const found = (port: number): unknown =>
    service.state.byAddress
      .get(`${port}#10.0.0.1`)
      ?.map(({ clusterName }) => clusterName)
      .toSorted();
  expect([found(80), found(81)]).toEqual([["a", "b"], ["b"]]);
  expect(service.state.clusterSizes).toEqual(
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
  );
  service.deregister({ clusterName: "a" });
  expect([found(80), found(81)]).toEqual([["b"], ["b"]]);
  expect(service.state.clusterSizes).toEqual(new Map([["b", 2]]));
  expect([service.deregister(), service.deregister({ port: 81 })]).toEqual([1, 1]);
  expect([service.state.byAddress.size, service.state.clusterSizes.size]).toEqual([0, 0]);
});

test("I10: persistent instances never expire, whatever timings they name", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false, metadata: SHORT_TIMINGS });
  service.register({ ephemeral: false, port: 81, healthy: false });
  for (const span of [3_000, 6_000, MINUTE, YEAR]) service.run(span);
  service.advanceTo(service.now + YEAR);
  expect(service.changes).toHaveLength(2);
  expect([service.find()?.healthy, service.find({ port: 81 })?.healthy]).toEqual([true, false]);
  expect(service.state.nextDue).toBe(Number.POSITIVE_INFINITY);
});

test("O8: an override waits a minute for its instance, to the millisecond", ({ expect }) => {
  const service = orphanedService();
  expect(service.state.orphanedOverrides.size).toBe(1);
  service.run(MINUTE - 1).register();
  expect([weight(service), service.state.orphanedOverrides.size]).toEqual([5, 0]);
});

test("O8: after a minute the override is gone", ({ expect }) => {
  const service = orphanedService();
  const { revision } = service.state.record;
  service.run(MINUTE);
  expect(service.state.orphanedOverrides.size).toBe(0);
  service.register();
  expect([weight(service), service.state.record.revision]).toEqual([1, revision + 1]);
});

test("O8: an override whose minute is over is not taken up, though nothing has removed it yet", ({
  expect,
}) => {
  const service = orphanedService();
  service.now += MINUTE;
  service.register();
  expect([weight(service), service.state.orphanedOverrides.size]).toEqual([1, 0]);
});

test("O8: an override waits for its own instance", ({ expect }) => {
  const service = orphanedService();
  service.register({ port: 81 });
  service.register({ clusterName: "a" });
  expect([service.find({ port: 81 })?.override, service.find({ clusterName: "a" })?.override]).toEqual([
    null,
    null,
  ]);
  service.register();
  expect(weight(service)).toBe(5);
});

test("I7: a deregistration ends an override that waits", ({ expect }) => {
  const service = orphanedService();
  expect(service.deregister()).toBe(0);
  expect(service.state.orphanedOverrides.size).toBe(0);
});

test("S1: the first instance makes the service", ({ expect }) => {
  const service = new TestService();
  expect(service.state.record).toMatchObject({ exists: false, isKept: false });
  service.register();
  expect(service.state.record).toMatchObject({ exists: true, isKept: false, emptySince: null });
});

test.for([true, false])(
  "S1: one made by hand takes its kind from its first instance, ephemeral %s",
  (ephemeral, { expect }) => {
    const service = new TestService();
    service.commit(unwrapped(planCreation(service.state, DEFAULT_SETTINGS, START, ORIGIN)));
    expect(serviceKind(service.state)).toBeNull();
    service.register({ ephemeral });
    expect(serviceKind(service.state)).toBe(ephemeral ? "ephemeral" : "persistent");
  },
);

const LEAVINGS: [string, (service: TestService) => unknown][] = [
  ["deregistered", (service) => service.deregister()],
  ["expired", (service) => service.run(30_000)],
];

test.for(LEAVINGS)(
  "S4: a service that instances made goes a minute after its last one %s",
  ([, leave], { expect }) => {
    const service = new TestService();
    service.register();
    leave(service);
    expect(service.run(MINUTE - 1).state.record).toMatchObject({
      exists: true,
      emptySince: service.now - MINUTE + 1,
    });
    expect(service.run(1).state.record).toMatchObject({ exists: false, emptySince: null });
    expect(service.changes.at(-1)?.events).toMatchObject([{ type: "service-deleted", by: "registry" }]);
    expect(service.state.nextDue).toBe(Number.POSITIVE_INFINITY);
  },
);

test("S4: an instance that comes back in time gives the service a new minute", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  service.run(MINUTE - 1).register();
  service.beat(lightBeat());
  service.deregister();
  expect(service.run(MINUTE - 1).state.record.exists).toBe(true);
  expect(service.run(1).state.record.exists).toBe(false);
});

test.for(LEAVINGS)(
  "S4: a service that was edited by hand stays when its last one is %s",
  ([, leave], { expect }) => {
    const service = new TestService();
    service.register();
    service.configure({});
    leave(service);
    expect(service.run(YEAR).state.record).toMatchObject({ exists: true, isKept: true });
  },
);

test("S5: one that went and comes again has fresh settings and new slots", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.configure({ protectThreshold: 0.5 });
  service.deregister();
  service.commit(unwrapped(planDeletion(service.state, service.now, ORIGIN)));
  service.register();
  expect(service.state.record).toMatchObject({ settings: DEFAULT_SETTINGS, isKept: false, nextSlot: 3 });
});
