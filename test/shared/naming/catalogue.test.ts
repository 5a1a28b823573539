import { test } from "vitest";
import { applyCatalogueTold, catalogueEntry } from "../../../shared/naming/catalogue.ts";
import { lightBeat, metadata, REF, TestService } from "../../support/builders.ts";

test("S6: a service that does not exist has no entry", ({ expect }) => {
  const service = new TestService();
  expect(catalogueEntry(service.state)).toBeNull();
  service.register();
  service.deregister();
  service.run(60_000);
  expect(catalogueEntry(service.state)).toBeNull();
});

test("S6, S9: an entry counts clusters and instances, disabled ones too, with their real health", ({
  expect,
}) => {
  const service = new TestService();
  service.register();
  service.register({ clusterName: "a", healthy: false });
  service.register({ clusterName: "a", port: 81, enabled: false });
  const entry = { ref: REF, clusterCount: 2, ipCount: 3, healthyInstanceCount: 2, triggerFlag: false };
  expect(catalogueEntry(service.state)).toEqual({ ...entry, revision: 3 });
  service.configure({ protectThreshold: 0.5 });
  expect(catalogueEntry(service.state)).toEqual({ ...entry, triggerFlag: true, revision: 4 });
});

test("P3, S6: under protection an entry tells the real health", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.configure({ protectThreshold: 0.5 });
  service.run(60_000);
  expect(catalogueEntry(service.state)).toMatchObject({
    ipCount: 1,
    healthyInstanceCount: 0,
    triggerFlag: true,
  });
});

const STEPS: [string, (service: TestService) => unknown, boolean][] = [
  ["a new instance", (to) => to.register({ port: 81 }), true],
  ["one that takes another's place", (to) => (to.deregister(), to.register({ port: 81 })), true],
  ["a deregistration", (to) => to.deregister(), true],
  ["a deregistration of nothing", (to) => to.deregister({ port: 81 }), false],
  ["a flip", (to) => to.run(15_000), true],
  ["a revival", (to) => (to.run(15_000), applyCatalogueTold(to.state), to.beat(lightBeat())), true],
  ["a beat", (to) => to.beat(lightBeat()), false],
  ["a disabling", (to) => to.put({ enabled: false }), true],
  ["an edit of the weight", (to) => to.put({ weight: 2 }), false],
  ["a registration with another weight", (to) => to.register({ weight: 2 }), false],
  ["a threshold", (to) => to.configure({ protectThreshold: 1 }), true],
  ["settings that no entry shows", (to) => to.configure({ metadata: metadata({ a: "b" }) }), false],
  [
    "the end of an empty service",
    (to) => (to.deregister(), applyCatalogueTold(to.state), to.run(60_000)),
    true,
  ],
];

test.for(STEPS)("S6: after %s: whether the catalogue is to be told", ([, step, isDue], { expect }) => {
  const service = new TestService();
  service.register();
  expect(service.state.record.isCatalogueDue).toBe(true);
  applyCatalogueTold(service.state);
  expect(service.state.record.isCatalogueDue).toBe(false);
  step(service);
  expect(service.state.record.isCatalogueDue).toBe(isDue);
});

test("S6: what was not told stays due over changes that need no telling", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.put({ weight: 2 });
  expect(service.state.record.isCatalogueDue).toBe(true);
});
