import { test } from "vitest";
import { EVENT_LIFETIME_MS, MAX_EVENTS } from "../../../shared/naming/event.ts";
import { planClearing } from "../../../shared/naming/edit.ts";
import { planHealth } from "../../../shared/naming/cluster.ts";
import { DEFAULT_SETTINGS } from "../../../shared/naming/service.ts";
import { planCreation, planDeletion } from "../../../shared/naming/settings.ts";
import {
  address,
  fullBeat,
  lightBeat,
  metadata,
  ORIGIN,
  START,
  TestService,
} from "../../support/builders.ts";
import { configureCluster, unwrapped } from "../../support/stored-examples.ts";

const AT = { ip: "10.0.0.1", port: 80, clusterName: "DEFAULT" };

function create(service: TestService): void {
  service.commit(unwrapped(planCreation(service.state, DEFAULT_SETTINGS, service.now, ORIGIN)));
}

function remove(service: TestService): void {
  service.commit(unwrapped(planDeletion(service.state, service.now, ORIGIN)));
}

function clear(service: TestService): void {
  service.commit(unwrapped(planClearing(service.state, address(), "weight", service.now, ORIGIN)));
}

type Told = [type: string, address: typeof AT | null, cause: string, by: string];
/** What happens to a service with one instance, and what it tells of it. */
const TRANSITIONS: [string, (service: TestService) => unknown, Told[]][] = [
  [
    "a new instance",
    (to) => to.register({ port: 81 }),
    [["registered", { ...AT, port: 81 }, "test", "tester"]],
  ],
  ["a changed one", (to) => to.register({ weight: 2 }), [["registered", AT, "test (changed)", "tester"]]],
  [
    "an unhealthy one",
    (to) => to.register({ healthy: false }),
    [["registered", AT, "test (changed), unhealthy until its first beat", "tester"]],
  ],
  ["the same registration", (to) => to.register(), []],
  ["a beat", (to) => to.beat(lightBeat()), []],
  [
    "a full beat of an unknown one",
    (to) => to.beat(fullBeat({ port: 81 })),
    [["registered", { ...AT, port: 81 }, "full beat of an unknown instance", "tester"]],
  ],
  ["a deregistration", (to) => to.deregister(), [["deregistered", AT, "test", "tester"]]],
  ["a deregistration of nothing", (to) => to.deregister({ port: 81 }), []],
  ["silence", (to) => to.run(15_000), [["unhealthy", AT, "no beat for 15000 ms", "registry"]]],
  [
    "a revival",
    (to) => (to.run(15_000), to.beat(lightBeat())),
    [
      ["unhealthy", AT, "no beat for 15000 ms", "registry"],
      ["healthy", AT, "beat", "tester"],
    ],
  ],
  [
    "silence to the end",
    (to) => to.run(30_000),
    [
      ["unhealthy", AT, "no beat for 15000 ms", "registry"],
      ["expired", AT, "no beat for 30000 ms", "registry"],
    ],
  ],
  ["an edit", (to) => to.put({ weight: 2 }), [["override-set", AT, "test: weight 2, enabled", "tester"]]],
  [
    "an edit of metadata",
    (to) => to.patch({ metadata: metadata({ a: "b", c: null }) }),
    [["override-set", AT, "test: metadata set (a), metadata hidden (c)", "tester"]],
  ],
  [
    "an edit that is cleared",
    (to) => (to.patch({ weight: 2 }), clear(to)),
    [
      ["override-set", AT, "test: weight 2", "tester"],
      ["override-cleared", AT, "test: weight", "tester"],
    ],
  ],
  [
    "settings that protect",
    (to) => to.configure({ protectThreshold: 1 }),
    [
      ["service-edited", null, "test: protectThreshold 1", "tester"],
      ["protection-began", null, "1 of 1 enabled instances healthy, threshold 1", "registry"],
    ],
  ],
  [
    "the end of protection",
    (to) => (to.configure({ protectThreshold: 1 }), to.changes.splice(0), to.deregister()),
    [
      ["deregistered", AT, "test", "tester"],
      ["protection-ended", null, "0 of 0 enabled instances healthy, threshold 1", "registry"],
    ],
  ],
  [
    "being away",
    (to) => to.advanceTo(START + 60_000),
    [
      [
        "leases-restarted",
        null,
        "the registry was away: what was due came 45000 ms late, so every lease starts again",
        "registry",
      ],
    ],
  ],
  [
    "settings of a cluster",
    (to) => configureCluster(to, "a"),
    [["service-edited", null, "test: cluster a, MYSQL", "tester"]],
  ],
  [
    "an empty service",
    (to) => (to.deregister(), to.changes.splice(0), to.run(60_000)),
    [["service-deleted", null, "no instance for 60000 ms", "registry"]],
  ],
];

test.for(TRANSITIONS)("E1: events of %s", ([, happen, told], { expect }) => {
  const service = new TestService();
  service.register();
  service.changes.splice(0);
  happen(service);
  const events = service.changes.flatMap((change) => change.events);
  expect(events.map(({ type, address: at, cause, by }) => [type, at, cause, by])).toEqual(told);
});

test("E1: a service made and deleted by hand tells by whom", ({ expect }) => {
  const service = new TestService();
  create(service);
  remove(service);
  expect(service.changes.flatMap(({ events }) => events)).toEqual([
    { seq: 1, time: START, type: "service-created", address: null, cause: "test", by: "tester" },
    { seq: 2, time: START, type: "service-deleted", address: null, cause: "test", by: "tester" },
  ]);
});

test("C3, E1: health set by hand tells by whom", ({ expect }) => {
  const service = new TestService();
  service.register({ ephemeral: false });
  const settings = {
    healthChecker: { type: "NONE" },
    checkPort: 80,
    usesInstancePort: true,
    metadata: new Map(),
  } as const;
  service.state.clusterSettings.set("DEFAULT", settings);
  const change = service.commit(unwrapped(planHealth(service.state, address(), false, START, ORIGIN)));
  expect(change?.events).toEqual([
    { seq: 2, time: START, type: "unhealthy", address: AT, cause: "test", by: "tester" },
  ]);
});

test("E1: seqs grow by one with each event, and times are those of the change", ({ expect }) => {
  const service = new TestService();
  for (const port of [80, 81, 82]) service.register({ port });
  service.configure({ protectThreshold: 0.5 });
  service.run(40_000);
  service.configure({});
  service.run(60_000);
  const events = service.changes.flatMap((change) => change.events);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const change of service.changes) {
    expect(new Set(change.events.map(({ time }) => time))).toEqual(new Set([change.now]));
  }
  expect(service.state.eventSeq).toBe(events.length);
});

test("E2: a thousand events are kept, for seven days", ({ expect }) => {
  expect([MAX_EVENTS, EVENT_LIFETIME_MS]).toEqual([1_000, 604_800_000]);
});
