import { test } from "vitest";
import type { Change } from "../../../shared/naming/change.ts";
import { planClusterUpdate } from "../../../shared/naming/cluster.ts";
import { DEFAULT_CLUSTER_SETTINGS } from "../../../shared/naming/cluster-settings.ts";
import type { Registration } from "../../../shared/naming/registration.ts";
import { DEFAULT_SETTINGS, type ServiceSettings } from "../../../shared/naming/service.ts";
import { planCreation, planDeletion, planUpdate } from "../../../shared/naming/settings.ts";
import type { Result } from "../../../shared/errors.ts";
import { fullBeat, lightBeat, metadata, ORIGIN, START, TestService } from "../../support/builders.ts";

const SETTINGS: ServiceSettings = {
  protectThreshold: 0.25,
  metadata: metadata({ owner: "ops" }),
  selector: { type: "label", expression: "", labels: [] },
};

function unwrap(result: Result<Change | null>): Change | null {
  if (result.ok) return result.value;
  throw new Error(result.error.message);
}

function create(service: TestService, settings = SETTINGS): void {
  service.commit(unwrap(planCreation(service.state, settings, service.now, ORIGIN)));
}

function remove(service: TestService): void {
  service.commit(unwrap(planDeletion(service.state, service.now, ORIGIN)));
}

test("S1, E1: a service made by hand is there, empty and untyped, and stays", ({ expect }) => {
  const service = new TestService();
  create(service);
  const record = {
    ref: service.state.record.ref,
    exists: true,
    isKept: true,
    settings: SETTINGS,
    revision: 1,
    lastRefTime: START,
    emptySince: START,
    protectedSince: null,
    isCatalogueDue: true,
    nextSlot: 1,
  };
  expect(service.state.record).toEqual(record);
  expect(service.changes.flatMap(({ events }) => events)).toEqual([
    { seq: 1, time: START, type: "service-created", address: null, cause: "test", by: "tester" },
  ]);
  expect(service.state.nextDue).toBe(Number.POSITIVE_INFINITY);
  service.run(24 * 3_600_000);
  expect(service.state.record).toEqual(record);
});

test.for([
  ["a registration", (service: TestService) => service.register()],
  ["a full beat", (service: TestService) => service.beat(fullBeat())],
] as const)("S1: %s makes the service with the settings of none", ([, make], { expect }) => {
  const service = new TestService();
  make(service);
  expect(service.state.record).toMatchObject({ exists: true, isKept: false, settings: DEFAULT_SETTINGS });
});

test.for([
  ["a light beat", (service: TestService) => service.beat(lightBeat())],
  ["a deregistration", (service: TestService) => service.deregister()],
  ["time", (service: TestService) => service.run(3_600_000)],
] as const)("S1, V6: %s makes no service", ([, act], { expect }) => {
  const service = new TestService();
  const { record } = service.state;
  act(service);
  expect(service.state.record).toEqual(record);
  expect(service.changes).toEqual([]);
});

test("S2: a replacement sets everything, and what is left out goes back to its default", ({ expect }) => {
  const service = new TestService();
  create(service);
  service.configure({ protectThreshold: 0.5 });
  expect(service.state.record.settings).toEqual({ ...DEFAULT_SETTINGS, protectThreshold: 0.5 });
  expect(service.state.record.revision).toBe(2);
});

const UNKNOWN = {
  ok: false,
  error: { name: "serviceNotFound", message: "service DEFAULT_GROUP@@orders not found!" },
};

test("S2: editing and deleting what is not there is refused in 2.x's words", ({ expect }) => {
  const { state } = new TestService();
  expect(planUpdate(state, SETTINGS, START, ORIGIN)).toEqual(UNKNOWN);
  expect(planDeletion(state, START, ORIGIN)).toEqual(UNKNOWN);
});

test.for([
  ["by hand", (service: TestService) => create(service)],
  ["by an instance", (service: TestService) => service.register()],
] as const)("S2: what is there, made %s, cannot be made", ([, make], { expect }) => {
  const service = new TestService();
  make(service);
  expect(planCreation(service.state, SETTINGS, START, ORIGIN)).toEqual({
    ok: false,
    error: { name: "serviceExists", message: "specified service DEFAULT_GROUP@@orders already exists!" },
  });
});

test.for([
  ["an ephemeral instance", { ephemeral: true }],
  ["a persistent instance", { ephemeral: false }],
  ["a disabled instance", { enabled: false }],
] as [string, Partial<Registration>][])(
  "S3: a service with %s cannot be deleted, without it can",
  ([, fields], { expect }) => {
    const service = new TestService();
    service.register(fields);
    expect(planDeletion(service.state, START, ORIGIN)).toEqual({
      ok: false,
      error: {
        name: "serviceNotEmpty",
        message:
          "Service DEFAULT_GROUP@@orders is not empty, can't be delete. Please unregister instance first",
      },
    });
    service.deregister();
    remove(service);
    expect(service.state.record).toMatchObject({ exists: false, revision: 3, emptySince: null });
    expect(planDeletion(service.state, START, ORIGIN)).toEqual(UNKNOWN);
  },
);

test.for([
  ["deregistered", (service: TestService) => service.deregister(), 0],
  ["expired", (service: TestService) => service.run(30_000), 30_000],
] as const)(
  "S4: a service that instances made goes 60 s after the last one has %s",
  ([, leave, at], { expect }) => {
    const service = new TestService();
    service.register();
    leave(service);
    expect(service.state.record.emptySince).toBe(START + at);
    service.run(59_999);
    expect(service.state.record.exists).toBe(true);
    service.run(1);
    expect(service.state.record).toMatchObject({ exists: false, emptySince: null });
    expect(service.changes.at(-1)?.events).toMatchObject([
      { type: "service-deleted", address: null, cause: "no instance for 60000 ms", by: "registry" },
    ]);
    expect(service.state.nextDue).toBe(Number.POSITIVE_INFINITY);
  },
);

test("S4: an instance that comes back in time keeps the service, and the wait starts anew", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  service.run(59_999).register();
  expect(service.state.record.emptySince).toBeNull();
  service.deregister();
  service.run(59_999);
  expect(service.state.record.exists).toBe(true);
  service.run(1);
  expect(service.state.record.exists).toBe(false);
});

test.for([
  ["edited by hand", (service: TestService) => service.configure({})],
  [
    "given settings of a cluster",
    (service: TestService) =>
      service.commit(unwrap(planClusterUpdate(service.state, "a", DEFAULT_CLUSTER_SETTINGS, START, ORIGIN))),
  ],
] as const)("S4: one that was %s stays", ([, edit], { expect }) => {
  const service = new TestService();
  service.register();
  edit(service);
  service.deregister();
  service.run(24 * 3_600_000);
  expect(service.state.record).toMatchObject({ exists: true, isKept: true });
});

test("S5: one that is deleted and made again starts with fresh settings", ({ expect }) => {
  const service = new TestService();
  create(service, { ...SETTINGS, protectThreshold: 0 });
  const cluster = { ...DEFAULT_CLUSTER_SETTINGS, checkPort: 8_080 };
  service.commit(unwrap(planClusterUpdate(service.state, "DEFAULT", cluster, START, ORIGIN)));
  service.register();
  service.put({ weight: 5 });
  service.run(30_000);
  remove(service);
  expect(service.state).toMatchObject({ clusterSettings: new Map(), orphanedOverrides: new Map() });
  service.register();
  expect(service.state.record).toMatchObject({ isKept: false, settings: DEFAULT_SETTINGS });
  expect(service.find()).toMatchObject({ override: null, effective: { weight: 1 } });
});

test("V2: revisions, seqs and slots go on when a service is deleted and made again", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  remove(service);
  const { revision } = service.state.record;
  service.register();
  expect(service.state).toMatchObject({ record: { revision: revision + 1, nextSlot: 3 }, eventSeq: 4 });
  expect(service.find()?.slot).toBe(2);
});
