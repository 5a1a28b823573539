import { test } from "vitest";
import { planClusterUpdate } from "../../../shared/naming/cluster.ts";
import { DEFAULT_CLUSTER_SETTINGS } from "../../../shared/naming/cluster-settings.ts";
import { planCreation, planDeletion } from "../../../shared/naming/settings.ts";
import { loadState } from "../../../shared/naming/load.ts";
import { checksum, nextRevision } from "../../../shared/naming/revision.ts";
import { DEFAULT_SETTINGS, newRecord } from "../../../shared/naming/service.ts";
import { fullBeat, lightBeat, metadata, ORIGIN, REF, START, TestService } from "../../support/builders.ts";
import { MemoryServiceStore } from "../../support/memory-store.ts";
import { unwrapped } from "../../support/stored-examples.ts";

function revision(service: TestService): number {
  return service.state.record.revision;
}

function setCluster(service: TestService, checkPort: number, name = "DEFAULT"): void {
  const settings = { ...DEFAULT_CLUSTER_SETTINGS, checkPort };
  service.commit(unwrapped(planClusterUpdate(service.state, name, settings, service.now, ORIGIN)));
}

type Step = (service: TestService) => unknown;
/** What happens to a service with two instances, one of them edited, and by how much the revision grows. */
const STEPS: [string, Step, number][] = [
  ["the same registration", (to) => to.register(), 0],
  [
    "the same registration without a value that is overridden",
    (to) => to.register({ port: 81, weight: 7 }),
    0,
  ],
  ["a registration with another weight", (to) => to.register({ weight: 2 }), 1],
  ["a registration with other metadata", (to) => to.register({ metadata: metadata({ a: "b" }) }), 1],
  ["an unhealthy registration", (to) => to.register({ healthy: false }), 1],
  ["a new instance", (to) => to.register({ port: 82 }), 1],
  ["a new disabled instance", (to) => to.register({ port: 82, enabled: false }), 1],
  ["a light beat", (to) => to.beat(lightBeat()), 0],
  ["a full beat", (to) => to.beat(fullBeat()), 0],
  ["a full beat of an unknown one", (to) => to.beat(fullBeat({ port: 82 })), 1],
  ["a light beat of an unknown one", (to) => to.beat(lightBeat({ port: 82 })), 0],
  ["a PUT that says what is", (to) => to.put({}), 0],
  ["a PUT that changes the weight", (to) => to.put({ weight: 2 }), 1],
  ["a PATCH that disables", (to) => to.patch({ enabled: false }), 1],
  ["a PATCH that hides what is not there", (to) => to.patch({ metadata: metadata({ a: null }) }), 0],
  [
    "a PATCH of a timing",
    (to) => to.patch({ metadata: metadata({ "preserved.ip.delete.timeout": "9000" }) }),
    1,
  ],
  ["a PUT for one that is not there", (to) => to.put({ weight: 9 }, { port: 82 }), 0],
  ["a deregistration", (to) => to.deregister(), 1],
  ["a deregistration of what is not there", (to) => to.deregister({ port: 82 }), 0],
  ["the same settings", (to) => to.configure({}), 0],
  ["another threshold", (to) => to.configure({ protectThreshold: 0.1 }), 1],
  ["a threshold that protects at once", (to) => to.configure({ protectThreshold: 1 }), 1],
  ["other metadata of the service", (to) => to.configure({ metadata: metadata({ a: "b" }) }), 1],
  ["a selector", (to) => to.configure({ selector: { type: "label", expression: "", labels: [] } }), 1],
  ["settings of a cluster", (to) => setCluster(to, 81), 1],
  ["settings of a cluster that say what is", (to) => setCluster(to, 80), 0],
  ["settings of a cluster that no answer shows yet", (to) => setCluster(to, 81, "a"), 0],
  ["silence of both at once", (to) => to.run(15_000), 1],
  ["the removal of both at once", (to) => to.run(30_000), 2],
  ["a deployment's pause", (to) => to.advanceTo(START + 60_000), 0],
  ["an override that waited in vain", (to) => (to.run(30_000), to.configure({}), to.run(60_000)), 2],
  ["a revival", (to) => (to.run(15_000), to.beat(lightBeat())), 2],
];

test.for(STEPS)("V1: %s", ([, step, growth], { expect }) => {
  const service = new TestService();
  service.register();
  service.register({ port: 81 });
  service.put({ weight: 3 }, { port: 81 });
  const before = revision(service);
  step(service);
  expect(revision(service) - before).toBe(growth);
});

test("V1: the same settings of a cluster again are no new revision", ({ expect }) => {
  const service = new TestService();
  service.register();
  setCluster(service, 81);
  const before = revision(service);
  setCluster(service, 81);
  expect(revision(service)).toBe(before);
  setCluster(service, 82);
  expect(revision(service)).toBe(before + 1);
});

test("V2: the revision goes on when a service goes and comes again", ({ expect }) => {
  const service = new TestService();
  const found: number[] = [];
  for (let round = 0; round < 3; round++) {
    service.register();
    service.deregister();
    service.run(60_000);
    service.commit(unwrapped(planCreation(service.state, DEFAULT_SETTINGS, service.now, ORIGIN)));
    service.commit(unwrapped(planDeletion(service.state, service.now, ORIGIN)));
    found.push(revision(service));
  }
  expect(found).toEqual([5, 10, 15]);
});

test("V2: the revision goes on over restarts", ({ expect }) => {
  const service = new TestService();
  const store = new MemoryServiceStore();
  service.register();
  service.put({ weight: 2 });
  for (const change of service.changes) store.save(change, null);
  expect(loadState(store.load(), REF, [], service.now).record).toEqual(service.state.record);
});

test("V3: lastRefTime never goes back", ({ expect }) => {
  const service = new TestService();
  const times: number[] = [];
  for (const jump of [0, 1_000, -5_000, 100, -3_600_000, 10_000, 3_600_000]) {
    service.now += jump;
    service.register({ weight: Math.abs(jump) });
    times.push(service.state.record.lastRefTime - START);
  }
  expect(times).toEqual([0, 1_000, 1_000, 1_000, 1_000, 1_000, 6_100]);
});

test("V3: the next record is one revision on, at the time or the last one", ({ expect }) => {
  const record = newRecord(REF, START);
  expect(nextRevision(record, START + 1)).toEqual({ ...record, revision: 1, lastRefTime: START + 1 });
  expect(nextRevision(record, START - 1)).toEqual({ ...record, revision: 1 });
});

test.for([
  [7, "", false, "7"],
  [7, "a", false, "7#a"],
  [7, "a,b", true, "7#a,b#healthyOnly"],
  [7, "", true, "7#healthyOnly"],
  [8, "b,a", false, "8#b,a"],
] as const)("V4: the checksum of revision %i, clusters '%s', healthyOnly %s", (row, { expect }) => {
  const [number, clusters, healthyOnly, sum] = row;
  expect(checksum(number, clusters, healthyOnly)).toBe(sum);
});
