import { test } from "vitest";
import { fail } from "../../../shared/errors.ts";
import { BEAT_OK, findBeaten, judgeBeat, renewedAnswer } from "../../../shared/naming/beat.ts";
import { fullBeat, lightBeat, metadata, START, TestService } from "../../support/builders.ts";

/** A service with one address in several clusters, registered at the start; the clock stands 1,000 later. */
function inClusters(...clusterNames: string[]): TestService {
  const service = new TestService();
  for (const clusterName of clusterNames) service.register({ clusterName });
  return service.run(1_000);
}

/** A service whose instances of some clusters, all with one address, have just been deregistered. */
function justDeregistered(...clusterNames: string[]): TestService {
  const service = inClusters(...clusterNames);
  service.deregister();
  return service;
}

test("B5: a full beat is held off for 5 s, and a refused one does not prolong it", ({ expect }) => {
  const service = justDeregistered("DEFAULT");
  expect(service.beat(fullBeat())).toBe("unknown");
  expect(service.run(4_999).beat(fullBeat())).toBe("unknown");
  expect(service.beat(lightBeat())).toBe("unknown");
  expect(service.run(1).beat(fullBeat())).toBe("registered");
});

test.for<[name: string, fields: Parameters<typeof fullBeat>[0], outcome: string]>([
  ["no cluster", {}, "unknown"],
  ["that cluster", { clusterName: "a" }, "unknown"],
  ["another cluster", { clusterName: "b" }, "registered"],
  ["DEFAULT", { clusterName: "DEFAULT" }, "registered"],
  ["another port", { port: 8 }, "registered"],
  ["another ip", { ip: "10.0.0.11" }, "registered"],
])("B5: after a deregistration in cluster a, a full beat with %s", ([, fields, outcome], { expect }) => {
  expect(justDeregistered("a").beat(fullBeat(fields))).toBe(outcome);
});

test("B5: a registration ends it, for its own cluster", ({ expect }) => {
  const service = justDeregistered("DEFAULT", "a");
  service.register();
  expect(service.beat(fullBeat())).toBe("renewed");
  expect(service.beat(fullBeat({ clusterName: "a" }))).toBe("unknown");
});

test("B6: for a persistent instance a light beat is unknown and a full one the kind conflict", ({
  expect,
}) => {
  const service = new TestService();
  service.register({ ephemeral: false, healthy: false });
  expect(service.beat(lightBeat())).toBe("unknown");
  for (const beat of [fullBeat(), fullBeat({ clusterName: "DEFAULT" }), fullBeat({ port: 81 })]) {
    expect(judgeBeat(service.state, beat, START, "tester")).toEqual(
      fail(
        "kindConflict",
        "Current service DEFAULT_GROUP@@orders is persistent service, can't register ephemeral instance.",
      ),
    );
  }
  expect(service.find()).toMatchObject({ healthy: false, lastBeat: START });
  expect(service.changes.length).toBe(1);
});

test("B9, O5: the answer tells the instance's own interval, an edited one too, but never less than 1000", ({
  expect,
}) => {
  const service = new TestService();
  const told = [];
  for (const interval of ["2000", "999", "1s"]) {
    service.register({ metadata: metadata({ "preserved.heart.beat.interval": interval }) });
    told.push(...findBeaten(service.state, "10.0.0.1", 80, null).map(renewedAnswer));
  }
  service.patch({ metadata: metadata({ "preserved.heart.beat.interval": "3000" }) });
  told.push(...findBeaten(service.state, "10.0.0.1", 80, "DEFAULT").map(renewedAnswer));
  expect(told).toEqual(
    [2_000, 1_000, 5_000, 3_000].map((beatIntervalMs) => ({ code: 10_200, beatIntervalMs })),
  );
  expect(BEAT_OK).toBe(10_200);
});
