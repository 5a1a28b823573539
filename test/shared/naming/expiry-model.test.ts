import { test } from "vitest";
import { instanceKey } from "../../../shared/naming/instance.ts";
import { lightBeat, metadata, START, TestService } from "../../support/builders.ts";
import { RandomSource } from "../../support/random-source.ts";
import { NaiveLeases } from "./naive-leases.ts";

type Lease = readonly [timeout: number, removal: number];
const LEASES: readonly [Lease, ...Lease[]] = [
  [15_000, 30_000],
  [3_000, 6_000],
  [10_000, 2_000],
  [1_000, 1_000],
  [2_000, 100_000],
];

/** A service and a naive model of it, sent the same. */
class Pair {
  readonly service = new TestService();
  readonly model = new NaiveLeases();
  readonly random: RandomSource;

  constructor(seed: number) {
    this.random = new RandomSource(seed);
    // From the beginning made by hand, so that it stays when it is empty.
    this.service.register();
    this.service.deregister();
    this.service.configure({});
    this.service.run(5_000);
  }

  step(): void {
    const choice = this.random.between(0, 99);
    const at = { port: this.random.between(1, 5), clusterName: this.random.pick(["DEFAULT", "a"]) };
    const key = instanceKey({ ip: "10.0.0.1", ...at });
    const { service, model } = this;
    if (choice < 30) this.#run(this.random.pick([0, 1, 499, 999, 1_000, 2_999, 3_000, 5_000]));
    else if (choice < 33) this.#run(this.random.pick([15_000, 30_000, 59_999, 60_000]));
    else if (choice < 34) this.#run(30 * 60_000);
    else if (choice < 38) this.#jump(this.random.pick([1, 1_000, 3_000, 3_001, 10_000, 70_000, 3_600_000]));
    else if (choice < 55) this.#register(at, key);
    else if (choice < 85) {
      model.beat(key, service.now);
      service.beat(lightBeat(at));
    } else if (choice < 89) {
      model.deregister(key, service.now);
      service.deregister(at);
    } else if (choice < 95) this.#enable(at, key, this.random.chance(0.5));
    else this.#protect(this.random.pick([0, 0.3, 0.5, 1]));
    this.#run(0);
  }

  #run(span: number): void {
    const { now } = this.service;
    this.model.run(now, now + span);
    this.service.run(span);
  }

  /** Moves the clock with nobody looking until then. */
  #jump(by: number): void {
    const { service, model } = this;
    const due = model.nextDue();
    const before = service.changes.length;
    service.advanceTo(service.now + by);
    const events = service.changes.slice(before).flatMap((change) => change.events);
    const isRestarted = events.some(({ type }) => type === "leases-restarted");
    // A look at a time when beats had already moved the duty counts as missed, too.
    const mayRestart = by > 3_000;
    const mustRestart = service.now - due > 3_000;
    if (isRestarted ? !mayRestart : mustRestart)
      throw new Error(`restarted: ${isRestarted}, due ${due - START}`);
    if (isRestarted) model.restart(service.now);
    model.act(service.now);
  }

  #register(at: { port: number; clusterName: string }, key: string): void {
    const [timeout, removal] = this.random.pick(LEASES);
    const healthy = this.random.chance(0.9);
    const own = metadata({
      "preserved.heart.beat.interval": "1000",
      "preserved.heart.beat.timeout": String(timeout),
      "preserved.ip.delete.timeout": String(removal),
    });
    this.model.register(key, { healthy, timeout, removal }, this.service.now);
    this.service.register({ ...at, healthy, metadata: own });
  }

  #enable(at: { port: number; clusterName: string }, key: string, enabled: boolean): void {
    this.model.enable(key, enabled, this.service.now);
    if (this.service.find(at) !== undefined) this.service.patch({ enabled }, at);
  }

  #protect(threshold: number): void {
    this.model.threshold = threshold;
    this.model.look(this.service.now);
    this.service.configure({ protectThreshold: threshold });
  }

  /** What the two hold, in one form. */
  views(): [unknown, unknown] {
    const { model } = this;
    const { instances, orphanedOverrides, record } = this.service.state;
    const real = [...instances].map(([key, { healthy, effective, lastBeat }]) =>
      [key, healthy, effective.enabled, lastBeat].join(),
    );
    const naive = [...model.instances].map(([key, { healthy, enabled }]) =>
      [key, healthy, enabled, model.lastSign(key)].join(),
    );
    const waiting = [...orphanedOverrides].map(([key, { expiresAt }]) => [key, expiresAt].join());
    const expected = [...model.orphans].map(([key, { until }]) => [key, until].join());
    return [
      { hosts: real.toSorted(), waiting: waiting.toSorted(), protectedSince: record.protectedSince },
      { hosts: naive.toSorted(), waiting: expected.toSorted(), protectedSince: model.protectedSince },
    ];
  }
}

test.for([101, 102, 103, 104, 105, 106])(
  "L1, L3, L4, L5, L8, L9, O1, O8, P4, P5: a walk beside a naive model, seed %i",
  (seed, { expect }) => {
    const pair = new Pair(seed);
    for (let step = 0; step < 1_000; step++) {
      pair.step();
      const where = `seed ${seed}, step ${step}, ${pair.service.now - START} ms`;
      const [real, naive] = pair.views();
      expect(real, where).toEqual(naive);
      expect(pair.service.state.nextDue, where).toBeLessThanOrEqual(pair.model.nextDue());
    }
  },
);
