import { test } from "vitest";
import type { GatheredBeat, Renewal } from "../../shared/naming/gathered-beat.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";
import { BeatGatherer, GATHER_MS, MIN_LEASE_LEFT_MS, REMEMBER_MS } from "../../worker/beat-gatherer.ts";

const REF: ServiceRef = { namespaceId: "public", groupName: "DEFAULT_GROUP", serviceName: "orders" };
const OTHER: ServiceRef = { ...REF, serviceName: "users" };
const ALIVE: Renewal = { beatIntervalMs: 5_000, leaseMs: 15_000 };

/** A gatherer before an object whose answers can be changed, with a clock and pauses that are moved by hand. */
class Bench {
  now = 1_000_000;
  straight = 0;
  says: Renewal | null = ALIVE;
  isDown = false;
  readonly batches: (readonly GatheredBeat[])[] = [];
  readonly #pauses: (() => void)[] = [];
  readonly #sending: Promise<void>[] = [];
  readonly gatherer = new BeatGatherer(
    () => this.now,
    () => new Promise((resolve) => this.#pauses.push(resolve)),
  );

  /** Sends a beat; says whether it was answered without the object. */
  async beat(ip = "10.0.0.1", ref = REF, clusterName: string | null = null): Promise<boolean> {
    const before = this.straight;
    const response = await this.gatherer.beat(
      ref,
      { ip, port: 80, clusterName },
      {
        straight: async () => {
          this.straight++;
          return { response: new Response("straight"), renewal: this.says };
        },
        gathered: async (beats) => {
          this.batches.push(beats);
          if (this.isDown) throw new Error("no answer");
          return beats.map(() => this.says);
        },
        render: ({ beatIntervalMs }) => new Response(`interval ${beatIntervalMs}`),
        waitUntil: (promise) => void this.#sending.push(promise),
      },
    );
    await response.text();
    return this.straight === before;
  }

  /** Lets the pauses of all batches end. */
  async flush(): Promise<void> {
    this.now += GATHER_MS;
    for (const end of this.#pauses.splice(0)) end();
    await Promise.allSettled(this.#sending.splice(0));
  }
}

test("G1: the first beat of an instance asks the object, the next are answered at once", async ({
  expect,
}) => {
  const bench = new Bench();
  expect([await bench.beat(), await bench.beat(), await bench.beat()]).toEqual([false, true, true]);
  expect(bench.straight).toBe(1);
});

test("G2: beats go to the object as one call, each with its age, of an instance only the newest", async ({
  expect,
}) => {
  const bench = new Bench();
  for (const ip of ["10.0.0.1", "10.0.0.2"]) await bench.beat(ip);
  await bench.beat("10.0.0.1");
  bench.now += 100;
  await bench.beat("10.0.0.2");
  bench.now += 100;
  await bench.beat("10.0.0.1");
  await bench.flush();
  expect(bench.batches).toEqual([
    [
      { ip: "10.0.0.1", port: 80, clusterName: null, ageMs: GATHER_MS },
      { ip: "10.0.0.2", port: 80, clusterName: null, ageMs: GATHER_MS + 100 },
    ],
  ]);
  await bench.beat();
  await bench.flush();
  expect(bench.batches).toHaveLength(2);
});

test("G2: services have batches of their own", async ({ expect }) => {
  const bench = new Bench();
  for (const ref of [REF, OTHER, REF, OTHER]) await bench.beat("10.0.0.1", ref);
  await bench.flush();
  expect(bench.batches.map((batch) => batch.length)).toEqual([1, 1]);
});

test("G1: with and without a cluster are different beats", async ({ expect }) => {
  const bench = new Bench();
  await bench.beat("10.0.0.1", REF, "A");
  expect(await bench.beat("10.0.0.1", REF, null)).toBe(false);
  expect(await bench.beat("10.0.0.1", REF, "A")).toBe(true);
});

test("G3: an instance is remembered for ten seconds from what the object said last", async ({ expect }) => {
  const bench = new Bench();
  await bench.beat();
  bench.now += REMEMBER_MS - 1;
  expect(await bench.beat()).toBe(true);
  await bench.flush();
  bench.now += REMEMBER_MS - 1;
  expect(await bench.beat()).toBe(true);
  bench.now += 1;
  expect(await bench.beat()).toBe(false);
});

test.for([
  { name: "a short lease", leaseMs: 3_000 },
  { name: "a lease shorter than what must be left", leaseMs: 1_000 },
])("G4: with $name a beat goes straight when little of it is left", async ({ leaseMs }, { expect }) => {
  const bench = new Bench();
  bench.says = { beatIntervalMs: 1_000, leaseMs };
  await bench.beat();
  const slack = leaseMs - MIN_LEASE_LEFT_MS;
  bench.now += Math.max(0, slack);
  expect(await bench.beat()).toBe(slack >= 0);
  bench.now += Math.max(0, slack) + 1;
  expect(await bench.beat()).toBe(false);
});

test("G5: a write through the isolate forgets the service at once, and no other", async ({ expect }) => {
  const bench = new Bench();
  await bench.beat();
  await bench.beat("10.0.0.1", OTHER);
  await bench.gatherer.whileWriting(REF, async () => {
    expect(await bench.beat()).toBe(false);
  });
  expect(await bench.beat()).toBe(false);
  expect(await bench.beat("10.0.0.1", OTHER)).toBe(true);
});

test("G5: an answer that was under way while a write came is not remembered", async ({ expect }) => {
  const bench = new Bench();
  const answer = Promise.withResolvers<void>();
  const under = bench.gatherer.beat(
    REF,
    { ip: "10.0.0.1", port: 80, clusterName: null },
    {
      straight: async () => {
        await answer.promise;
        return { response: new Response(""), renewal: ALIVE };
      },
      gathered: async () => [],
      render: () => new Response(""),
      waitUntil: () => undefined,
    },
  );
  await bench.gatherer.whileWriting(REF, async () => undefined);
  answer.resolve();
  await under;
  expect(await bench.beat()).toBe(false);
});

test("G6: a batch answer that an instance is not plainly alive forgets it", async ({ expect }) => {
  const bench = new Bench();
  await bench.beat();
  await bench.beat();
  bench.says = null;
  await bench.flush();
  expect(await bench.beat()).toBe(false);
});

test("G6: a batch answer brings new timings", async ({ expect }) => {
  const bench = new Bench();
  await bench.beat();
  await bench.beat();
  bench.says = { beatIntervalMs: 1_000, leaseMs: 1_000 };
  await bench.flush();
  expect(await bench.beat()).toBe(false);
});

test("G7: a batch that cannot be delivered forgets its service", async ({ expect }) => {
  const bench = new Bench();
  for (const ip of ["10.0.0.1", "10.0.0.2", "10.0.0.1"]) await bench.beat(ip);
  bench.isDown = true;
  await bench.flush();
  expect([await bench.beat("10.0.0.1"), await bench.beat("10.0.0.2")]).toEqual([false, false]);
});

test("G1: what the object did not take as a plain renewal is not remembered", async ({ expect }) => {
  const bench = new Bench();
  bench.says = null;
  expect([await bench.beat(), await bench.beat()]).toEqual([false, false]);
});

test("G3: a clock that jumps back lets no beat be gathered on what lies ahead", async ({ expect }) => {
  const bench = new Bench();
  await bench.beat();
  bench.now -= 60_000;
  expect(await bench.beat()).toBe(false);
  expect(await bench.beat()).toBe(true);
});
