import { test } from "vitest";
import { EXPLAINED_EVENTS, explainInstance, type Explanation } from "../../../shared/naming/why.ts";
import { address, lightBeat, metadata, START, TestService } from "../../support/builders.ts";
import { MemoryServiceStore } from "../../support/memory-store.ts";

const AT = { ip: "10.0.0.1", port: 80, clusterName: null };

/** What the object answers: the explanation by the last events of the address. */
function explain(service: TestService, named = AT): Explanation {
  const store = new MemoryServiceStore();
  for (const change of service.changes) store.save(change, null);
  const events = store.events({ after: 0, limit: EXPLAINED_EVENTS, address: named });
  return explainInstance(service.state, address(named), events, service.now);
}

/** 1,000,000 ms after the beginning of 1970, as texts tell it. */
const BEGAN = "1970-01-01T00:16:40.000Z";
const FLIPPED = "1970-01-01T00:16:55.000Z";

type Row = [string, (service: TestService) => unknown, string, number | null, string];
const ROWS: Row[] = [
  [
    "a healthy one since its registration",
    (to) => to.run(2_000),
    "healthy",
    0,
    `The instance is healthy. ${BEGAN}: registered by tester (test). Its lease was renewed 2000 ms ago.`,
  ],
  [
    "a silent one since it was marked",
    (to) => to.run(16_000),
    "unhealthy",
    15_000,
    `The instance is unhealthy. ${FLIPPED}: unhealthy by the registry itself (no beat for 15000 ms). Its lease was renewed 16000 ms ago.`,
  ],
  [
    "a revived one since its beat",
    (to) => to.run(16_000).beat(lightBeat()),
    "healthy",
    16_000,
    "The instance is healthy. 1970-01-01T00:16:56.000Z: healthy by tester (beat). Its lease was renewed 0 ms ago.",
  ],
  [
    "one registered unhealthy",
    (to) => to.run(1_000).register({ healthy: false }),
    "unhealthy",
    1_000,
    "The instance is unhealthy. 1970-01-01T00:16:41.000Z: registered by tester (test (changed), unhealthy until its first beat). Its lease was renewed 0 ms ago.",
  ],
  [
    "a disabled one since its edit",
    (to) => to.run(5_000).put({ enabled: false }),
    "disabled",
    5_000,
    "The instance is disabled and healthy. 1970-01-01T00:16:45.000Z: override-set by tester (test: weight 1, disabled). Its lease was renewed 5000 ms ago. An operator set: weight 1, disabled.",
  ],
  [
    "an edited one",
    (to) => to.patch({ metadata: metadata({ a: "b", c: null }) }),
    "healthy",
    0,
    `The instance is healthy. ${BEGAN}: registered by tester (test). Its lease was renewed 0 ms ago. An operator set: metadata set (a), metadata hidden (c).`,
  ],
  [
    "one in a protected service",
    (to) => (to.configure({ protectThreshold: 0.5 }), to.run(40_000)),
    "unhealthy",
    15_000,
    `The instance is unhealthy. ${FLIPPED}: unhealthy by the registry itself (no beat for 15000 ms). Its lease was renewed 40000 ms ago. The service is protected, so lists show every instance as healthy.`,
  ],
  [
    "one that was deregistered",
    (to) => to.run(3_000).deregister(),
    "deregistered",
    3_000,
    "The instance is gone. 1970-01-01T00:16:43.000Z: deregistered by tester (test).",
  ],
  [
    "one that expired",
    (to) => to.run(31_000),
    "expired",
    30_000,
    "The instance is gone. 1970-01-01T00:17:10.000Z: expired by the registry itself (no beat for 30000 ms).",
  ],
  [
    "one that expired and came again",
    (to) => to.run(31_000).register(),
    "healthy",
    31_000,
    "The instance is healthy. 1970-01-01T00:17:11.000Z: registered by tester (test). Its lease was renewed 0 ms ago.",
  ],
];

test.for(ROWS)("E4: why tells of %s", ([, happen, state, since, text], { expect }) => {
  const service = new TestService();
  service.register();
  happen(service);
  const explained = explain(service);
  expect(explained).toMatchObject({ state, since: since === null ? null : START + since, text });
});

test("E4: of a persistent instance it tells how long it lives", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false });
  expect(explain(service).text).toContain("It is persistent: it lives until it is deregistered.");
});

test("E4: of what never was it knows nothing", ({ expect }) => {
  const service = new TestService();
  service.register();
  expect(explain(service, { ...AT, port: 81 })).toEqual({
    state: "unknown",
    since: null,
    text: "Nothing is known of 10.0.0.1:81 in DEFAULT_GROUP@@orders.",
    events: [],
  });
});

test("E4: it holds the last ten events of the instance, newest first", ({ expect }) => {
  const service = new TestService();
  service.register();
  for (let weight = 2; weight < 20; weight++) {
    service.patch({ weight });
    service.register({ port: 81, weight });
  }
  const { events } = explain(service);
  expect(events.map(({ cause }) => cause)).toEqual(
    Array.from({ length: 10 }, (_, index) => `test: weight ${19 - index}`),
  );
});

test("E4: where the event that tells is no longer kept, since is not known", ({ expect }) => {
  const service = new TestService();
  service.register();
  for (let weight = 2; weight < 13; weight++) service.patch({ weight });
  expect(explain(service)).toMatchObject({ state: "healthy", since: null });
});
