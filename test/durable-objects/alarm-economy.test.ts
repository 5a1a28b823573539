import { test } from "vitest";
import { countWrites, SECOND, ServiceDriver, useManualClock } from "../support/objects.ts";

const clock = useManualClock();

test("L8: no alarm is left when the last thing is gone", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 30 * SECOND);
  expect(await service.health()).toEqual({});
  expect(await service.alarmAt()).not.toBeNull();
  await service.pass(clock, 60 * SECOND);
  expect(await service.eventTypes()).toEqual(["registered", "unhealthy", "expired", "service-deleted"]);
  await service.pass(clock, 10 * SECOND);
  expect(await service.alarmAt()).toBeNull();
});

test("L8: no alarm is left after the last deregistration of a service that stays", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.create();
  await service.register();
  await service.hotBeat();
  await service.deregister();
  await service.pass(clock, 60 * SECOND);
  expect(await service.alarmAt()).toBeNull();
  expect(await service.stub.getService(service.ref)).not.toBeNull();
});

test.for([
  { name: "a service made by hand", make: (service: ServiceDriver) => service.create() },
  { name: "persistent instances", make: (service: ServiceDriver) => service.register({ ephemeral: false }) },
])("L8: $name needs no alarm once the catalogue knows", async ({ make }, { expect }) => {
  const service = new ServiceDriver();
  await make(service);
  await service.pass(clock, 10 * SECOND);
  expect(await service.alarmAt()).toBeNull();
});

test("L8: reads and refused writes set no alarm", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.view();
  await service.beat();
  await service.deregister();
  await service.patch({ weight: 2 });
  await service.delete();
  expect(await service.alarmAt()).toBeNull();
});

test("L8: beats never move the alarm of a beaten service", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  await service.hotBeat();
  const set = await service.alarmAt();
  for (let beat = 0; beat < 6; beat++) {
    clock.move(1 * SECOND);
    await service.hotBeat();
    await service.beat();
    await service.fullBeat();
    expect({ beat, alarm: await service.alarmAt() }).toEqual({ beat, alarm: set });
  }
});

test("L8: an object that is beaten wakes no more often than every five seconds", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 1 * SECOND);
  await service.hotBeat();
  let wakes = 0;
  for (let second = 0; second < 60; second++) {
    clock.move(1 * SECOND);
    if (second % 5 === 4) await service.hotBeat();
    const at = await service.alarmAt();
    if (at === null || at > clock.now()) continue;
    await service.fireAlarm();
    wakes++;
  }
  expect(wakes).toBeLessThanOrEqual(12);
  expect(await service.eventTypes()).toEqual(["registered"]);
});

test("L8: a new instance that is due earlier moves the alarm forward", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register();
  await service.pass(clock, 9 * SECOND);
  await service.register({
    ip: "10.0.0.2",
    metadata: new Map([
      ["preserved.heart.beat.interval", "1000"],
      ["preserved.heart.beat.timeout", "2000"],
    ]),
  });
  expect(await service.alarmAt()).toBeLessThanOrEqual(clock.now() + 2 * SECOND);
  await service.pass(clock, 2 * SECOND);
  expect(await service.health()).toEqual({ "10.0.0.1": true, "10.0.0.2": false });
});

test("L8: an alarm is never set in the past", async ({ expect }) => {
  const service = new ServiceDriver();
  await service.register({
    metadata: new Map([
      ["preserved.heart.beat.interval", "0"],
      ["preserved.heart.beat.timeout", "0"],
      ["preserved.ip.delete.timeout", "0"],
    ]),
  });
  const at = await service.alarmAt();
  expect(at).toBeGreaterThan(clock.now());
  expect(at).toBeLessThanOrEqual(clock.now() + 1 * SECOND);
});

test("I3, L6: a beat, and the same registration again, write nothing within five seconds", async ({
  expect,
}) => {
  const service = new ServiceDriver();
  await service.register();
  await service.hotBeat();
  await service.pass(clock, 1 * SECOND);
  const written = await countWrites(service.stub);
  for (let beat = 0; beat < 3; beat++) {
    clock.move(1 * SECOND);
    await service.hotBeat();
    await service.beat();
    await service.register();
  }
  expect(written()).toEqual([]);
});
