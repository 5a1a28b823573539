import { test } from "vitest";
import { explainInstance, type Explanation } from "../../../shared/naming/why.ts";
import { address, lightBeat, START, TestService } from "../../support/builders.ts";

/** What an explanation without a cluster tells: it is handed the events of the address in all clusters. */
function explain(service: TestService): Explanation {
  const events = service.changes.flatMap((change) => change.events);
  const meant = events.filter((event) => event.address?.ip === "10.0.0.1" && event.address.port === 80);
  return explainInstance(service.state, address(), meant.toReversed().slice(0, 10), service.now);
}

/** A service whose clock moves a second after each step. */
function after(...steps: ((service: TestService) => unknown)[]): TestService {
  const service = new TestService();
  for (const step of steps) {
    step(service);
    service.run(1_000);
  }
  return service;
}

const disable = (service: TestService): unknown => service.patch({ enabled: false });

test("E4: a disabled one is told since it was disabled, whatever was edited later", ({ expect }) => {
  const service = after(
    (to) => to.register(),
    disable,
    (to) => to.patch({ weight: 3 }),
  );
  expect(explain(service)).toMatchObject({ state: "disabled", since: START + 1_000 });
});

test("E4: one that an operator disabled is told so after a registration, too", ({ expect }) => {
  const service = after(
    (to) => to.register(),
    disable,
    (to) => to.register({ weight: 2 }),
  );
  const { state, since, text } = explain(service);
  expect([state, since]).toEqual(["disabled", START + 1_000]);
  expect(text).toContain("override-set");
});

test("E4: one that registered disabled is told so after an edit of its weight, too", ({ expect }) => {
  const service = after(
    (to) => to.register({ enabled: false }),
    (to) => to.patch({ weight: 3 }),
  );
  const { state, since, text } = explain(service);
  expect([state, since]).toEqual(["disabled", START]);
  expect(text).toContain("registered by tester");
});

test("E4: an instance is explained by its own events, not by those of another cluster", ({ expect }) => {
  const service = after(
    (to) => to.register(),
    (to) => to.register({ clusterName: "a" }),
    (to) => to.beat(lightBeat({ clusterName: "a" })),
  );
  const { state, since, events } = explain(service);
  expect([state, since]).toEqual(["healthy", START]);
  expect(events.map((event) => event.address?.clusterName)).toEqual(["DEFAULT"]);
});
