import { describe, test } from "vitest";
import type { Change } from "../../shared/naming/change.ts";
import type { Checkpoint } from "../../shared/naming/lease-storage.ts";
import { MAX_EVENTS, type RegistryEvent } from "../../shared/naming/event.ts";
import { compareInstances } from "../../shared/naming/instance.ts";
import { allInstances } from "../../shared/naming/selection.ts";
import { planDeletion } from "../../shared/naming/settings.ts";
import type { ServiceStore, StoredService } from "../../shared/store.ts";
import { lightBeat, metadata, ORIGIN, TestService } from "./builders.ts";
import { CHECKPOINTS, configureCluster, DAY, NOW, QUERIES, STORED, unwrapped } from "./stored-examples.ts";

const EVERYTHING = { after: 0, limit: 10_000 };

/** What the store should hold of a service, its instances in the order of lists. */
function expected(service: TestService, checkpoint: Checkpoint | null = null): StoredService {
  const { record, orphanedOverrides, clusterSettings, eventSeq } = service.state;
  const instances = allInstances(service.state);
  return structuredClone({ record, instances, orphanedOverrides, clusterSettings, checkpoint, eventSeq });
}

function loaded(store: ServiceStore): StoredService | null {
  const stored = store.load();
  return stored && { ...stored, instances: stored.instances.toSorted(compareInstances) };
}

/** Saves the changes that were made since the last call for the service. */
function saveAll(store: ServiceStore, service: TestService): void {
  for (const change of service.changes.splice(0)) store.save(change, null);
}

function newService(): TestService {
  const service = new TestService();
  service.now = NOW;
  return service;
}

/** A change that brings nothing but an event. */
function eventChange(base: Change, event: Partial<RegistryEvent> & { readonly seq: number }): Change {
  const address = { ip: "10.0.0.1", port: 80, clusterName: "DEFAULT" };
  const whole: RegistryEvent = { type: "healthy", time: NOW, address, cause: "beat", by: "tester", ...event };
  return { ...base, put: [], now: whole.time, events: [whole] };
}

function firstChange(): Change {
  const service = newService();
  service.register();
  const [change] = service.changes;
  if (change === undefined) throw new Error("Expected a registration to be a change");
  return change;
}

function saveEvents(store: ServiceStore, from: number, to: number, time = NOW): void {
  const base = firstChange();
  for (let seq = from; seq <= to; seq++) store.save(eventChange(base, { seq, time }), null);
}

function seqs(events: readonly RegistryEvent[]): number[] {
  return events.map(({ seq }) => seq);
}

/** The tests that every store of a service passes. `withStore` hands an empty one to each. */
export function describeServiceStore(
  name: string,
  withStore: (run: (store: ServiceStore) => void | Promise<void>) => Promise<void>,
): void {
  describe(`the contract of a store: ${name}`, () => {
    test("D1: of nothing it loads nothing, however often it is asked", ({ expect }) =>
      withStore((store) => {
        for (let ask = 0; ask < 2; ask++) {
          expect(store.load()).toBeNull();
          expect(store.events(EVERYTHING)).toEqual([]);
        }
      }));

    test.for(STORED)("D1: %s comes back as it was, with its events", ([, build], { expect }) =>
      withStore((store) => {
        const service = newService();
        service.register({ metadata: metadata({ a: "1", b: "2" }) });
        build(service);
        const told = service.changes.flatMap(({ events }) => events).toReversed();
        saveAll(store, service);
        expect(loaded(store)).toEqual(expected(service));
        expect(store.events(EVERYTHING)).toEqual(told);
      }),
    );

    test("D1: what goes is gone, and its neighbours stay", ({ expect }) =>
      withStore((store) => {
        const service = newService();
        for (const clusterName of ["a", "b"]) service.register({ clusterName });
        service.register({ port: 81, clusterName: "a" });
        service.deregister({ clusterName: "a" });
        saveAll(store, service);
        expect(loaded(store)?.instances.map(({ slot }) => slot)).toEqual([3, 2]);
        for (const port of [80, 81]) service.deregister({ port });
        configureCluster(service, "a");
        service.commit(unwrapped(planDeletion(service.state, NOW, ORIGIN)));
        saveAll(store, service);
        expect(loaded(store)).toEqual(expected(service));
        expect(loaded(store)).toMatchObject({ instances: [], clusterSettings: new Map() });
      }));

    test("D1: what is stored follows neither memory nor what was loaded", ({ expect }) =>
      withStore((store) => {
        const service = newService();
        service.register();
        saveAll(store, service);
        const before = expected(service);
        service.now += 1_000;
        service.beat(lightBeat());
        const first = store.load()?.instances[0];
        if (first !== undefined) first.lastBeat = 0;
        expect(loaded(store)).toEqual(before);
      }));

    test.for(CHECKPOINTS)("D1, L6: %s comes back as it was", ([, checkpoint], { expect }) =>
      withStore((store) => {
        const service = newService();
        for (const port of [80, 81]) service.register({ port });
        saveAll(store, service);
        store.saveCheckpoint({
          at: NOW - 1,
          isExact: !checkpoint.isExact,
          lastBeats: new Map([[1, NOW - 2]]),
        });
        store.saveCheckpoint(checkpoint);
        expect(loaded(store)).toEqual(expected(service, checkpoint));
        const change = service.patch({ weight: 2 });
        if (change !== null) store.save(change, null);
        expect(loaded(store)).toEqual(expected(service, checkpoint));
      }),
    );

    test("D1, L5: a checkpoint that comes with a change is stored with it", ({ expect }) =>
      withStore((store) => {
        const checkpoint: Checkpoint = { at: NOW, isExact: true, lastBeats: new Map([[1, NOW]]) };
        store.save(firstChange(), checkpoint);
        expect(store.load()).toMatchObject({ checkpoint, instances: [{ slot: 1 }] });
      }));

    test("D1: that the catalogue was told is stored, and nothing else changes", ({ expect }) =>
      withStore((store) => {
        const service = newService();
        service.register();
        saveAll(store, service);
        expect(store.load()?.record.isCatalogueDue).toBe(true);
        store.saveCatalogueTold();
        const { record, ...rest } = expected(service);
        expect(loaded(store)).toEqual({ ...rest, record: { ...record, isCatalogueDue: false } });
      }));

    test("D4: a save that throws leaves the store as it was", ({ expect }) =>
      withStore((store) => {
        const service = newService();
        service.register();
        service.patch({ weight: 2 });
        saveAll(store, service);
        const before = [loaded(store), store.events(EVERYTHING)];
        const change = service.register({ port: 81 });
        if (change === null) throw new Error("Expected a registration to be a change");
        const twice = change.events.map((event) => ({ ...event, seq: 1 }));
        const checkpoint = { at: NOW, isExact: true, lastBeats: new Map() };
        expect(() => store.save({ ...change, events: twice }, checkpoint)).toThrow();
        expect([loaded(store), store.events(EVERYTHING)]).toEqual(before);
        store.save(change, null);
        expect(loaded(store)).toEqual(expected(service));
      }));

    test.for(QUERIES)("E3: events %s", ([, query, found], { expect }) =>
      withStore((store) => {
        const service = newService();
        for (const clusterName of ["a", "b"]) service.register({ clusterName }); // seq 1, 2
        service.register({ port: 81, clusterName: "a" }); // 3
        service.configure({ protectThreshold: 0.1 }); // 4, of no instance
        service.patch({ weight: 2 }, { clusterName: "a" }); // 5
        saveAll(store, service);
        expect(seqs(store.events({ ...EVERYTHING, ...query }))).toEqual(found);
      }),
    );

    test("E2: never fewer than the last thousand events are kept, and few more", ({ expect }) =>
      withStore((store) => {
        for (let newest = 50; newest <= 1_250; newest += 50) {
          saveEvents(store, newest - 49, newest);
          const kept = seqs(store.events(EVERYTHING));
          expect(kept).toEqual(kept.map((_, index) => newest - index));
          expect(kept.length).toBeGreaterThanOrEqual(Math.min(newest, MAX_EVENTS));
          expect(kept.length).toBeLessThan(MAX_EVENTS + 100);
        }
        expect(store.load()?.eventSeq).toBe(1_250);
      }));

    test("E2: events of more than seven days go with the next hundred", ({ expect }) =>
      withStore((store) => {
        saveEvents(store, 1, 40);
        saveEvents(store, 41, 50, NOW + 1);
        saveEvents(store, 51, 100, NOW + 1 + 7 * DAY);
        expect(seqs(store.events(EVERYTHING)).at(-1)).toBe(41);
      }));
  });
}
