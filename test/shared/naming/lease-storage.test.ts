import { test } from "vitest";
import {
  applyCheckpoint,
  isStillBeaten,
  needsCheckpoint,
  recoverLastBeat,
  takeCheckpoint,
  type Checkpoint,
} from "../../../shared/naming/lease-storage.ts";
import { lightBeat, START, TestService } from "../../support/builders.ts";

const SLOT = 1;

/** A service with one instance, registered at the start. */
function newService(): TestService {
  const service = new TestService();
  service.register();
  return service;
}

function checkpoint(at: number, isExact: boolean, lastBeat: number | null): Checkpoint {
  return { at: START + at, isExact, lastBeats: new Map(lastBeat === null ? [] : [[SLOT, START + lastBeat]]) };
}

test.for([
  ["the first beat", null, 0, true],
  ["a beat at once", 0, 0, false],
  ["a beat just before five seconds", 0, 4_999, false],
  ["a beat after five seconds", 0, 5_000, true],
  ["a beat long after", 0, 14_000, true],
  ["a beat after a jump back", 3_000, 2_999, true],
  ["a beat after a jump back behind all", 3_000, -3_600_000, true],
] as const)("L6: %s: whether it writes a checkpoint", ([, written, beaten, isWritten], { expect }) => {
  const { state } = newService();
  if (written !== null) applyCheckpoint(state, checkpoint(written, false, 0));
  expect(needsCheckpoint(state, START + beaten)).toBe(isWritten);
});

test("L6: the first beat after an exact checkpoint writes one, however young that is", ({ expect }) => {
  const { state } = newService();
  applyCheckpoint(state, checkpoint(0, true, 0));
  expect(needsCheckpoint(state, START)).toBe(true);
});

test("L6: a checkpoint holds the clocks of all ephemeral instances", ({ expect }) => {
  const service = newService();
  service.run(1_000).register({ port: 81 });
  service.run(1_000).beat(lightBeat());
  const lastBeats = new Map([
    [1, START + 2_000],
    [2, START + 1_000],
  ]);
  expect(takeCheckpoint(service.state, START + 2_500, false)).toEqual({
    at: START + 2_500,
    isExact: false,
    lastBeats,
  });
  const beaten = takeCheckpoint(
    service.state,
    START + 2_500,
    false,
    [...service.state.instances.values()].slice(1),
  );
  expect([...beaten.lastBeats.values()]).toEqual([START + 2_000, START + 2_500]);
  expect(service.find({ port: 81 })?.lastBeat).toBe(START + 1_000);
  const persistent = new TestService();
  persistent.register({ ephemeral: false });
  expect(takeCheckpoint(persistent.state, START, true)).toEqual({
    at: START,
    isExact: true,
    lastBeats: new Map(),
  });
});

test.for([
  [0, true],
  [7_999, true],
  [8_000, false],
  [60_000, false],
] as const)("L6: %i ms after the last beat: still beaten is %s", ([after, beaten], { expect }) => {
  const service = newService();
  service.beat(lightBeat());
  expect(isStillBeaten(service.state, START + after)).toBe(false);
  applyCheckpoint(service.state, takeCheckpoint(service.state, START, false));
  expect(isStillBeaten(service.state, START + after)).toBe(beaten);
  applyCheckpoint(service.state, takeCheckpoint(service.state, START, true));
  expect(isStillBeaten(service.state, START + after)).toBe(false);
});

const RECOVERED: [string, boolean, Checkpoint | null, number, number][] = [
  ["without a checkpoint: the registration", true, null, 9_000, 0],
  ["without a checkpoint, the clock behind: now", true, null, -5, -5],
  ["exact checkpoint: its beat", true, checkpoint(8_000, true, 7_777), 9_000, 7_777],
  ["exact checkpoint that is old: its beat", true, checkpoint(8_000, true, 1), 3_600_000, 1],
  ["exact checkpoint older than the registration: that", true, checkpoint(-1, true, -3_000), 9_000, 0],
  ["exact checkpoint that does not know it: the registration", true, checkpoint(8_000, true, null), 9_000, 0],
  ["exact checkpoint, the clock behind: now", true, checkpoint(8_000, true, 7_777), 7_000, 7_000],
  ["inexact checkpoint: five seconds later", true, checkpoint(3_000, false, 2_000), 9_000, 8_000],
  ["inexact checkpoint a moment ago: now", true, checkpoint(3_000, false, 2_000), 3_001, 3_001],
  ["inexact checkpoint just five seconds ago", true, checkpoint(3_000, false, 2_000), 8_000, 8_000],
  ["inexact checkpoint that does not know it", true, checkpoint(3_000, false, null), 20_000, 8_000],
  ["inexact checkpoint long before it: the registration", true, checkpoint(-60_000, false, null), 9_000, 0],
  ["inexact checkpoint just before it: five seconds later", true, checkpoint(-1, false, null), 9_000, 4_999],
  ["inexact checkpoint, unhealthy: the last known", false, checkpoint(3_000, false, 2_000), 20_000, 2_000],
  ["inexact checkpoint, unhealthy and changed since", false, checkpoint(-9, false, -9), 20_000, 0],
];

test.for(RECOVERED)(
  "L6: a clock after a loss of memory, %s",
  ([, healthy, stored, now, lastBeat], { expect }) => {
    const service = new TestService();
    service.register({ healthy });
    const instance = service.find();
    expect(instance && recoverLastBeat(instance, stored, START + now) - START).toBe(lastBeat);
  },
);

/** Moments of the true last beat after the first one, which writes the checkpoint. */
test.for([0, 1, 1_000, 2_500, 4_998, 4_999])(
  "L6: a beat %i ms after the checkpoint is recovered never early and at most five seconds late",
  (after, { expect }) => {
    const service = newService();
    service.run(2_000).beat(lightBeat());
    const written = takeCheckpoint(service.state, service.now, false);
    applyCheckpoint(service.state, written);
    const stored = structuredClone(service.find());
    service.run(after).beat(lightBeat());
    expect(needsCheckpoint(service.state, service.now)).toBe(false);
    for (const later of [0, 1, 2_500, 5_000, 10_000]) {
      const now = service.now + later;
      const recovered = stored && recoverLastBeat(stored, written, now);
      expect(recovered).toBeGreaterThanOrEqual(service.now);
      expect(recovered).toBeLessThanOrEqual(Math.min(now, service.now + 5_000));
    }
  },
);

test("L6: after a settled sleep the recovered clock is the true one, to the millisecond", ({ expect }) => {
  const service = newService();
  const stored = structuredClone(service.find());
  service.run(1_234).beat(lightBeat());
  applyCheckpoint(service.state, takeCheckpoint(service.state, service.now, false));
  service.run(3_210).beat(lightBeat());
  const lastBeat = service.now;
  service.run(8_000);
  const settled = takeCheckpoint(service.state, service.now, true);
  for (const later of [0, 1, 6_999, 3_600_000]) {
    expect(stored && recoverLastBeat(stored, settled, service.now + later)).toBe(lastBeat);
  }
});
