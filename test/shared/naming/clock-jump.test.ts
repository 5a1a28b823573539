import { test } from "vitest";
import { fullBeat, lightBeat, metadata, SHORT_TIMINGS, START, TestService } from "../../support/builders.ts";

/** Moves the clock and lets the service look at it, with no time passing. */
function jump(service: TestService, by: number): void {
  service.advanceTo(service.now + by);
}

function condition(service: TestService, port = 80): string {
  const instance = service.find({ port });
  if (instance === undefined) return "gone";
  return instance.healthy ? "healthy" : "unhealthy";
}

test.for([17_001, 20_000, 100_000, 3_600_000])(
  "L7, L5: a clock that jumps %i ms back and forth again ends no lease early",
  (by, { expect }) => {
    const service = new TestService();
    service.register();
    service.run(10_000);
    jump(service, -by);
    service.beat(lightBeat());
    service.run(1_000);
    jump(service, by);
    expect(condition(service)).toBe("healthy");
    expect(condition(service.run(13_999))).toBe("healthy");
    expect(condition(service.run(15_000))).not.toBe("gone");
    expect(condition(service.run(2 * by + 30_000))).toBe("gone");
  },
);

test.for([5_001, 20_000, 100_000, 3_600_000])(
  "L5, L7: a clock that jumps %i ms forth and back again ends no lease early",
  (by, { expect }) => {
    const service = new TestService();
    service.register({ metadata: SHORT_TIMINGS });
    service.run(1_000);
    jump(service, by);
    service.beat(lightBeat());
    service.run(1_000);
    jump(service, -by);
    expect(condition(service.run(1_999))).toBe("healthy");
    expect(condition(service.run(2 * by + 6_000))).toBe("gone");
  },
);

test("L7: after a jump back a registration has its time, to the millisecond", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.run(10_000);
  jump(service, -3_600_000);
  service.register({ weight: 2 });
  expect(condition(service.run(14_999))).toBe("healthy");
  expect(condition(service.run(1))).toBe("unhealthy");
  expect(condition(service.run(14_999))).toBe("unhealthy");
  expect(condition(service.run(1))).toBe("gone");
});

test("L4, L7: after a jump back a new instance has its time, whatever the others wait for", ({ expect }) => {
  const service = new TestService();
  service.register();
  jump(service, -60_000);
  service.register({ port: 81 });
  service.run(15_000);
  expect([condition(service), condition(service, 81)]).toEqual(["healthy", "unhealthy"]);
  service.run(60_000);
  expect([condition(service), condition(service, 81)]).toEqual(["unhealthy", "gone"]);
});

test("L5: a jump forth of less than what is left to the next duty changes nothing", ({ expect }) => {
  const service = new TestService();
  service.register();
  jump(service, 14_999);
  expect(condition(service)).toBe("healthy");
  expect(service.changes).toHaveLength(1);
});

test("B5, L7: after a jump back full beats are held off no less than 5 s", ({ expect }) => {
  const service = new TestService();
  service.register();
  service.deregister();
  jump(service, -60_000);
  expect(service.run(4_999).beat(fullBeat())).toBe("unknown");
  expect(service.run(60_001).beat(fullBeat())).toBe("registered");
});

test("V3, E1: a jump back takes back no lastRefTime and no seq", ({ expect }) => {
  const service = new TestService();
  service.register();
  jump(service, -60_000);
  service.patch({ metadata: metadata({ a: "1" }) });
  expect(service.state.record).toMatchObject({ revision: 2, lastRefTime: START });
  expect(service.changes[1]?.events).toMatchObject([{ seq: 2, time: START - 60_000 }]);
});
