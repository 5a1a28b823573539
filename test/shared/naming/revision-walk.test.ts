import { test } from "vitest";
import { listClusters, planClusterUpdate } from "../../../shared/naming/cluster.ts";
import { DEFAULT_CLUSTER_SETTINGS } from "../../../shared/naming/cluster-settings.ts";
import type { Change } from "../../../shared/naming/change.ts";
import { planBatchEdit, planClearing, planPatch, planReplacement } from "../../../shared/naming/edit.ts";
import type { InstanceEdit } from "../../../shared/naming/edit.ts";
import { hostView, renderListBody } from "../../../shared/naming/list-body.ts";
import { allInstances } from "../../../shared/naming/selection.ts";
import { DEFAULT_SETTINGS } from "../../../shared/naming/service.ts";
import { planCreation, planDeletion, planUpdate } from "../../../shared/naming/settings.ts";
import { planRegistration } from "../../../shared/naming/registration.ts";
import {
  fullBeat,
  lightBeat,
  metadata,
  ORIGIN,
  registration,
  SHORT_TIMINGS,
  TestService,
} from "../../support/builders.ts";
import type { Result } from "../../../shared/errors.ts";
import { RandomSource } from "../../support/random-source.ts";

const QUERIES = [
  { clusters: "", healthyOnly: false },
  { clusters: "", healthyOnly: true },
  { clusters: "DEFAULT", healthyOnly: false },
  { clusters: "a", healthyOnly: true },
  { clusters: "DEFAULT,a", healthyOnly: false },
];
const TEXTS = [
  metadata<string>({}),
  SHORT_TIMINGS,
  metadata({ a: "1" }),
  metadata({ a: "1", b: "2" }),
] as const;
const EDITS = [
  metadata<string | null>({}),
  metadata<string | null>({ a: "1" }),
  metadata<string | null>({ a: null, b: "3" }),
  metadata<string | null>({ "preserved.ip.delete.timeout": "9000" }),
] as const;

/** JSON in which the order of keys does not tell. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const entries = inner instanceof Map ? [...inner] : Object.entries(inner);
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A service that judges each change by what can be asked before and after it. */
class JudgedService extends TestService {
  /** What is wrong with the last change; `null` when nothing is. */
  wrong: string | null = null;
  readonly #bodies = new Map<string, string>();
  #answers = this.#render();

  override commit(change: Change | null): Change | null {
    if (change === null) return null;
    const before = this.state.record;
    super.commit(change);
    const answers = this.#render();
    const growth = this.state.record.revision - before.revision;
    const differs = answers !== this.#answers;
    if (growth !== Number(differs)) {
      const causes = change.events.map(({ type, cause }) => `${type} (${cause})`).join(", ");
      this.wrong = `revision grew by ${growth}, an answer differs: ${differs}, after ${causes}`;
    }
    if (this.state.record.lastRefTime < before.lastRefTime) this.wrong = "lastRefTime went back";
    this.#answers = answers;
    return change;
  }

  /** Every answer but for the fields that tell the revision; notes two bodies of one checksum that differ. */
  #render(): string {
    const { ref, exists, settings } = this.state.record;
    const lists = QUERIES.map((query) => {
      const {
        checksum,
        revision: _revision,
        lastRefTime,
        ...list
      } = JSON.parse(renderListBody(this.state, query));
      const body = canonical({ list, lastRefTime });
      if ((this.#bodies.get(checksum) ?? body) !== body)
        this.wrong = `two lists with the checksum ${checksum}`;
      this.#bodies.set(checksum, body);
      return list;
    });
    const hosts = allInstances(this.state).map((instance) => hostView(ref, instance, instance.healthy));
    return canonical({
      lists,
      hosts,
      service: exists ? { settings, clusters: listClusters(this.state) } : null,
    });
  }

  /** Applies a plan unless it was refused. */
  attempt(planned: Result<Change | null>): void {
    if (planned.ok) this.commit(planned.value);
  }
}

function step(service: JudgedService, random: RandomSource): void {
  const named = {
    ip: "10.0.0.1",
    port: random.between(1, 3),
    clusterName: random.pick(["DEFAULT", "a", null]),
  };
  const at = { ...named, clusterName: named.clusterName ?? "DEFAULT" };
  const { state, now } = service;
  const edit: InstanceEdit = {
    ...(random.chance(0.4) ? { weight: random.between(1, 2) } : {}),
    ...(random.chance(0.3) ? { enabled: random.chance(0.6) } : {}),
    ...(random.chance(0.5) ? { metadata: random.pick(EDITS) } : {}),
  };
  const settings = {
    ...DEFAULT_SETTINGS,
    protectThreshold: random.pick([0, 0.5, 1]),
    metadata: random.pick(TEXTS),
  };
  const choice = random.between(0, 99);
  if (choice < 20) register(service, random, at);
  else if (choice < 35) service.beat(lightBeat(named));
  else if (choice < 40 && canBeat(service)) service.beat(fullBeat(named));
  else if (choice < 50) service.deregister(named);
  else if (choice < 58) service.attempt(planReplacement(state, named, edit, now, ORIGIN));
  else if (choice < 66) service.attempt(planPatch(state, named, edit, now, ORIGIN));
  else if (choice < 70)
    service.attempt(planClearing(state, named, random.pick(["weight", "metadata", undefined]), now, ORIGIN));
  else if (choice < 73) batch(service, random);
  else if (choice < 77) service.attempt(planUpdate(state, settings, now, ORIGIN));
  else if (choice < 80) cluster(service, random, at.clusterName);
  else if (choice < 82) service.attempt(planCreation(state, settings, now, ORIGIN));
  else if (choice < 84) service.attempt(planDeletion(state, now, ORIGIN));
  else if (choice < 86) service.advanceTo(now - random.between(1, 5_000));
  else service.run(random.pick([0, 500, 3_000, 6_000, 20_000, 61_000]));
}

/** Whether a full beat of an unknown instance would be taken: there is no persistent one. */
function canBeat(service: JudgedService): boolean {
  return [...service.state.instances.values()].every(({ ephemeral }) => ephemeral);
}

function register(
  service: JudgedService,
  random: RandomSource,
  at: { ip: string; port: number; clusterName: string },
): void {
  const sent = {
    ...at,
    weight: random.between(1, 2),
    enabled: random.chance(0.8),
    healthy: random.chance(0.8),
    ephemeral: random.chance(0.9),
    metadata: random.pick(TEXTS),
  };
  const planned = planRegistration(service.state, registration(sent), service.now, ORIGIN);
  if (planned.ok) service.register(sent);
}

function batch(service: JudgedService, random: RandomSource): void {
  const edit = { addresses: null, metadata: random.pick(EDITS) };
  const planned = planBatchEdit(service.state, edit, service.now, ORIGIN);
  if (planned.ok) service.commit(planned.value.change);
}

function cluster(service: JudgedService, random: RandomSource, name: string): void {
  const settings = { ...DEFAULT_CLUSTER_SETTINGS, checkPort: random.between(80, 81) };
  service.attempt(planClusterUpdate(service.state, name, settings, service.now, ORIGIN));
}

test.for([11, 12, 13])("V1, V3, V4: a random walk by what can be asked, seed %i", (seed, { expect }) => {
  const random = new RandomSource(seed);
  const service = new JudgedService();
  for (let index = 0; index < 600; index++) {
    step(service, random);
    expect(service.wrong, `seed ${seed}, step ${index}`).toBeNull();
  }
  expect(service.state.record.revision).toBeGreaterThan(100);
});
