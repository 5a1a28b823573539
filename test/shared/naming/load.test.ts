import { test } from "vitest";
import { MAX_EVENTS } from "../../../shared/naming/event.ts";
import { expire, restartLeases, wasAway } from "../../../shared/naming/expiry.ts";
import { takeCheckpoint, type Checkpoint } from "../../../shared/naming/lease-storage.ts";
import { loadState } from "../../../shared/naming/load.ts";
import { emptyState, newRecord, type ServiceState } from "../../../shared/naming/service.ts";
import { judgeBeat } from "../../../shared/naming/beat.ts";
import { fullBeat, lightBeat, REF, START, TestService } from "../../support/builders.ts";
import { MemoryServiceStore } from "../../support/memory-store.ts";
import { STORED } from "../../support/stored-examples.ts";

/** The service as it comes back after its memory was lost. */
function reload(service: TestService, checkpoint: Checkpoint | null = null): ServiceState {
  const store = new MemoryServiceStore();
  for (const change of service.changes) store.save(change, null);
  if (checkpoint !== null) store.saveCheckpoint(checkpoint);
  return loadState(store.load(), REF, store.events({ after: 0, limit: MAX_EVENTS }), service.now);
}

test("D1: what was never stored is a service that does not exist", ({ expect }) => {
  expect(loadState(null, REF, [], START)).toEqual(emptyState(newRecord(REF, START)));
});

test.for(STORED)("D1: %s: a service comes back as it was in memory", ([, build], { expect }) => {
  const service = new TestService();
  service.register();
  build(service);
  service.run(0);
  const state = reload(service);
  expect({ ...state, nextDue: 0 }).toEqual({ ...service.state, nextDue: 0 });
  expect(state.nextDue).toBeGreaterThanOrEqual(service.state.nextDue);
});

test("D1: indexes and counts are built anew", ({ expect }) => {
  const service = new TestService();
  for (const clusterName of ["a", "b"]) service.register({ clusterName });
  service.register({ clusterName: "b", port: 81, healthy: false });
  service.put({ enabled: false }, { clusterName: "a" });
  const state = reload(service);
  expect(state.counts).toEqual({ total: 3, healthy: 2, enabled: 2, healthyAndEnabled: 1 });
  expect(state.byAddress.get("80#10.0.0.1")).toEqual([...state.instances.values()].slice(0, 2));
  expect(state.clusterSizes).toEqual(
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
  );
});

test.for([true, false])(
  "L6: an exact checkpoint makes the service calm, another makes it busy: %s",
  (isExact, { expect }) => {
    const service = new TestService();
    service.register();
    service.run(2_000).beat(lightBeat());
    const checkpoint = takeCheckpoint(service.state, service.now, isExact);
    service.run(9_000);
    const state = reload(service, checkpoint);
    const lastBeat = START + 2_000 + (isExact ? 0 : 5_000);
    expect(state).toMatchObject({
      checkpointAt: START + 2_000,
      isBusy: !isExact,
      nextDue: lastBeat + 15_000,
    });
    expect([...state.instances.values()].map((instance) => instance.lastBeat)).toEqual([lastBeat]);
  },
);

test("L5, L6: one that was lost for long finds that it was away, and marks nobody", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.now += 60_000;
  const state = reload(service);
  expect(state.nextDue).toBe(START + 15_000);
  expect(wasAway(state.nextDue, service.now)).toBe(true);
  const change = restartLeases(state, state.nextDue, service.now);
  expect(change).toMatchObject({ restartsLeases: true, put: [], removed: [], record: { revision: 1 } });
});

test("P4: the hold of removals goes on over a loss of memory, with its own beginning", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.configure({ protectThreshold: 0.5 });
  service.run(60_000);
  const state = reload(service);
  expect(state.nextDue).toBe(START + 15_000 + 30 * 60_000);
  expect(expire(state, service.now)).toBeNull();
});

test("L5, P5: what waits for its removal at the end of protection is not taken for an absence", ({
  expect,
}) => {
  const service = new TestService();
  service.register();
  service.register({ port: 81 });
  service.configure({ protectThreshold: 0.5 });
  for (let beat = 0; beat < 12; beat++) service.run(5_000).beat(lightBeat());
  service.configure({});
  const state = reload(service);
  expect(wasAway(state.nextDue, service.now)).toBe(false);
  expect(expire(state, service.now)?.removed).toHaveLength(1);
});

type Step = (service: TestService) => unknown;
const NAMELESS = fullBeat();
const NAMED = fullBeat({ clusterName: "DEFAULT" });
const MARKS: [string, Step, number, ReturnType<typeof fullBeat>, "registered" | "unknown"][] = [
  ["at once", (to) => to.deregister(), 0, NAMED, "unknown"],
  ["just before five seconds", (to) => to.deregister(), 4_999, NAMED, "unknown"],
  ["after five seconds", (to) => to.deregister(), 5_000, NAMED, "registered"],
  ["without a cluster", (to) => to.deregister(), 4_999, NAMELESS, "unknown"],
  ["without a cluster, after five seconds", (to) => to.deregister(), 5_000, NAMELESS, "registered"],
  ["of another cluster", (to) => to.deregister(), 0, fullBeat({ clusterName: "a" }), "registered"],
  ["of another port", (to) => to.deregister(), 0, fullBeat({ port: 81 }), "registered"],
  [
    "without a cluster after a deregistration in another",
    (to) => (to.register({ clusterName: "a" }), to.deregister()),
    0,
    NAMELESS,
    "unknown",
  ],
  [
    "after a deregistration of nothing",
    (to) => to.deregister({ port: 81 }),
    0,
    fullBeat({ port: 81 }),
    "registered",
  ],
  [
    "that was refused before",
    (to) => (to.deregister(), to.run(4_000).beat(NAMED)),
    1_000,
    NAMED,
    "registered",
  ],
  [
    "after a second deregistration that found nothing",
    (to) => (to.deregister(), to.run(4_000).deregister()),
    1_000,
    NAMED,
    "registered",
  ],
  ["after it expired", (to) => to.run(30_000), 0, NAMED, "registered"],
];

test.for(MARKS)(
  "B5: a full beat %s, with and without a loss of memory",
  ([, happen, after, beat, outcome], { expect }) => {
    const service = new TestService();
    service.register();
    happen(service);
    service.now += after;
    const judge = (state: ServiceState): string => {
      const judged = judgeBeat(state, beat, service.now, "tester");
      return judged.ok ? judged.value.type : judged.error.name;
    };
    expect([judge(service.state), judge(reload(service))]).toEqual([outcome, outcome]);
  },
);

test("B5: a registration ends the mark, and a loss of memory does not bring it back", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  service.register();
  expect(service.state.deregisteredAt.size).toBe(0);
  expect(reload(service).deregisteredAt.size).toBe(0);
  service.run(1_000).deregister();
  expect(reload(service).deregisteredAt).toEqual(new Map([["DEFAULT#80#10.0.0.1", START + 1_000]]));
});
