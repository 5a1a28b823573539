import { test } from "vitest";
import { ServiceLedger } from "../../durable-objects/service-ledger.ts";
import type { Result } from "../../shared/errors.ts";
import { judgeBeat } from "../../shared/naming/beat.ts";
import { applyCatalogueTold } from "../../shared/naming/catalogue.ts";
import type { Change } from "../../shared/naming/change.ts";
import { planPatch, type InstanceEdit } from "../../shared/naming/edit.ts";
import { instanceKey } from "../../shared/naming/instance.ts";
import type { Checkpoint } from "../../shared/naming/lease-storage.ts";
import { PROTECT_HOLD_MS } from "../../shared/naming/protection.ts";
import { planDeregistration, planRegistration } from "../../shared/naming/registration.ts";
import { DEFAULT_SETTINGS, type ServiceState } from "../../shared/naming/service.ts";
import { planUpdate } from "../../shared/naming/settings.ts";
import { fullBeat, lightBeat, metadata, ORIGIN, REF, registration, START } from "../support/builders.ts";
import { LeaseAudit } from "../support/lease-audit.ts";
import { MemoryServiceStore } from "../support/memory-store.ts";
import { RandomSource } from "../support/random-source.ts";

function timings(timeout: number, removal: number): ReadonlyMap<string, string> {
  return metadata({
    "preserved.heart.beat.interval": "1000",
    "preserved.heart.beat.timeout": String(timeout),
    "preserved.ip.delete.timeout": String(removal),
  });
}
const TIMINGS = [
  metadata<string>({}),
  timings(3_000, 6_000),
  timings(10_000, 2_000),
  timings(4_000, 4_000),
] as const;

/** A change of which no catalogue need be told: its alarms would hide that others are missing. */
function withoutCatalogue(change: Change): Change {
  return { ...change, record: { ...change.record, isCatalogueDue: false } };
}

class RecordingStore extends MemoryServiceStore {
  readonly saved: Change[] = [];
  override save(change: Change, checkpoint: Checkpoint | null): void {
    super.save(change, checkpoint);
    this.saved.push(change);
  }
}

/** A service as its object drives it, on a clock and with an alarm of the walk's own, and the log beside it. */
class Walk {
  now = START;
  readonly random: RandomSource;
  readonly #store = new RecordingStore();
  #alarmAt: number | null = null;
  #ledger = this.#newLedger();
  #state: ServiceState = this.#ledger.open(REF, START);
  readonly #audit = new LeaseAudit();

  constructor(seed: number) {
    this.random = new RandomSource(seed);
  }

  #newLedger(): ServiceLedger {
    const ledger = new ServiceLedger(this.#store, { set: (at) => void (this.#alarmAt = at) });
    ledger.setPendingAlarm(this.#alarmAt);
    return ledger;
  }

  /** One step, and what is wrong after it; `null` when nothing is. */
  step(): string | null {
    const choice = this.random.between(0, 99);
    if (choice < 30) return this.#pass(this.random.pick([0, 1, 500, 1_999, 3_000, 5_000]));
    if (choice < 33) return this.#pass(this.random.pick([20_000, 61_000, 100_000]));
    if (choice < 34) return this.#pass(PROTECT_HOLD_MS);
    if (choice < 37) return this.#jump(this.random.pick([1, 1_500, 2_500, 3_500, 20_000, 3_600_000]));
    if (choice < 39) return this.#jump(-this.random.pick([1, 400, 3_000, 20_000]));
    if (choice < 43) return this.#crash();
    this.#state = this.#ledger.open(REF, this.now);
    return this.#check() ?? this.#write(choice);
  }

  /** Lets time pass with every alarm on the dot, and nobody asking. */
  #pass(span: number): string | null {
    const end = this.now + span;
    for (let wakes = 0; this.#alarmAt !== null && this.#alarmAt <= end; wakes++) {
      if (wakes > 1_000) return `alarms without end, next at ${this.#alarmAt}`;
      const at = this.#alarmAt;
      this.#alarmAt = null;
      this.now = Math.max(this.now, at);
      this.#ledger.wake(this.now, at);
      this.#ledger.arm(this.now);
      const wrong = this.#check();
      if (wrong !== null) return wrong;
    }
    this.now = end;
    return this.#check();
  }

  /** Moves the clock with no alarm run in between. */
  #jump(by: number): string | null {
    this.#audit.jump(by, this.now);
    this.now += by;
    if (this.random.chance(0.5)) this.#state = this.#ledger.open(REF, this.now);
    const wrong = this.#pass(0);
    this.#audit.jump(0, this.now);
    return wrong;
  }

  #crash(): string | null {
    for (const [key, { healthy }] of this.#state.instances) {
      if (healthy && this.#state.isBusy) this.#audit.note("lift", key, this.now);
    }
    this.#ledger = this.#newLedger();
    this.#state = this.#ledger.open(REF, this.now);
    return this.#check();
  }

  #write(choice: number): string | null {
    const at = {
      ip: "10.0.0.1",
      port: this.random.between(1, 4),
      clusterName: this.random.pick(["DEFAULT", "a"]),
    };
    const named = { ...at, clusterName: this.random.chance(0.3) ? null : at.clusterName };
    if (choice < 50) this.#register(at);
    else if (choice < 85) this.#beat(named, this.random.chance(0.2));
    else if (choice < 89) this.#commit(planDeregistration(this.#state, named, this.now, ORIGIN).change);
    else if (choice < 96) this.#edit(named);
    else this.#configure(this.random.pick([0, 0.3, 0.5, 1]));
    return this.#check();
  }

  #register(at: { ip: string; port: number; clusterName: string }): void {
    const own = { healthy: this.random.chance(0.9), metadata: this.random.pick(TIMINGS) };
    const planned = planRegistration(this.#state, registration({ ...at, ...own }), this.now, ORIGIN);
    if (!planned.ok) return;
    this.#audit.note("beat", instanceKey(at), this.now);
    this.#commit(planned.value.change);
    if (planned.value.renewed !== null) this.#ledger.renew(this.#state, [planned.value.renewed], this.now);
  }

  #beat(named: { ip: string; port: number; clusterName: string | null }, isFull: boolean): void {
    const judged = judgeBeat(this.#state, isFull ? fullBeat(named) : lightBeat(named), this.now, "walker");
    if (!judged.ok || judged.value.type === "unknown") return;
    if (judged.value.type === "registered") {
      const key = instanceKey({ ...named, clusterName: named.clusterName ?? "DEFAULT" });
      this.#audit.note("beat", key, this.now);
      this.#commit(judged.value.planned.change);
      return;
    }
    for (const one of judged.value.instances) this.#audit.note("beat", instanceKey(one), this.now);
    this.#commit(judged.value.change);
    this.#ledger.renew(this.#state, judged.value.instances, this.now);
  }

  #edit(named: { ip: string; port: number; clusterName: string | null }): void {
    const edits: [InstanceEdit, ...InstanceEdit[]] = [{ enabled: true }, { enabled: false }, { weight: 2 }];
    const edit = this.random.chance(0.4) ? { metadata: this.random.pick(TIMINGS) } : this.random.pick(edits);
    const planned = planPatch(this.#state, named, edit, this.now, ORIGIN);
    this.#commitIfOk(planned);
    if (!planned.ok || planned.value === null) return;
    for (const one of planned.value.put) this.#audit.note("edit", instanceKey(one), this.now);
  }

  #configure(protectThreshold: number): void {
    this.#commitIfOk(planUpdate(this.#state, { ...DEFAULT_SETTINGS, protectThreshold }, this.now, ORIGIN));
  }

  #commitIfOk(planned: Result<Change | null>): void {
    if (planned.ok) this.#commit(planned.value);
  }

  #commit(change: Change | null): void {
    this.#ledger.commit(this.#state, change && withoutCatalogue(change));
  }

  #check(): string | null {
    const changes = this.#store.saved.splice(0);
    this.#store.saveCatalogueTold();
    applyCatalogueTold(this.#state);
    return this.#audit.check(this.#state, changes, { now: this.now, alarmAt: this.#alarmAt });
  }
}

test.for([1, 2, 3, 4, 5, 6])(
  "L1, L3, L4, L5, L6, L7, L8, P4, P5: a random walk by a log of beats, seed %i",
  (seed, { expect }) => {
    const walk = new Walk(seed);
    for (let step = 0; step < 1_000; step++) {
      const wrong = walk.step();
      expect(wrong, `seed ${seed}, step ${step}, ${walk.now - START} ms`).toBeNull();
    }
  },
);
