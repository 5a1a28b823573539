import type { Change } from "../../shared/naming/change.ts";
import { earliestDue } from "../../shared/naming/due.ts";
import { addressKey, instanceKey, type Instance } from "../../shared/naming/instance.ts";
import { PROTECT_HOLD_MS } from "../../shared/naming/protection.ts";
import type { InstanceCounts, ServiceState } from "../../shared/naming/service.ts";

const TOLERANCE_MS = 1_000;
/** Longer than any lease of the walk: after this a clock that jumped back has no effect any more. */
const JUMP_EFFECT_MS = 60_000;

/** What is known of the clocks without looking at the service: a log that is read from its end. */
interface Entry {
  /** `lift`: memory was lost while it was healthy, so that its clock may be taken as later than it was. `edit`: its
   * timings may be others from now on. */
  readonly what: "beat" | "restart" | "lift" | "edit";
  readonly key: string | null;
  readonly at: number;
}

interface Moment {
  readonly now: number;
  readonly alarmAt: number | null;
}

/** Judges a service that is driven at random, by the log of what it was sent. Leases must be shorter than a minute. */
export class LeaseAudit {
  readonly #log: Entry[] = [];
  #jumpsBack: { readonly at: number; readonly by: number }[] = [];
  #jumpedBy = 0;
  /** By how much the clock is behind the time that truly passed. */
  #jumpedBack = 0;
  /** What the clock would show if it had never jumped back. */
  #time = 0;
  #protectionEndedAt = Number.NEGATIVE_INFINITY;

  /** Notes what comes at the clock's `now`. */
  note(what: Entry["what"], key: string | null, now: number): void {
    this.#log.push({ what, key, at: now + this.#jumpedBack });
  }

  /** Notes that the clock jumps, from `now`, and (0) that this is over. */
  jump(by: number, now: number): void {
    this.#jumpedBy = by;
    if (by >= 0) return;
    this.#jumpsBack.push({ at: now, by: -by });
    this.#jumpedBack -= by;
  }

  /** When the last of some entries came that mean an instance; a restart of all leases means each. */
  #last(key: string, what: readonly Entry["what"][]): number {
    return (
      this.#log.findLast((entry) => what.includes(entry.what) && (entry.key ?? key) === key)?.at ?? -Infinity
    );
  }

  /** What is wrong after some changes; `null` when nothing is. */
  check(state: ServiceState, changes: readonly Change[], { now, alarmAt }: Moment): string | null {
    this.#time = now + this.#jumpedBack;
    for (const change of changes) {
      const wrong = this.#auditChange(change);
      if (wrong !== null) return wrong;
    }
    return auditIndexes(state) ?? this.#auditDues(state, now, alarmAt) ?? this.#auditLives(state, now);
  }

  /** Nobody is marked or removed before its time, and leases start again only where the registry was away. */
  #auditChange({ now, put, removed, events }: Change): string | null {
    const touched = new Map([...put, ...removed].map((instance) => [instanceKey(instance), instance]));
    for (const { type, address, by } of events) {
      if (type === "protection-ended") this.#protectionEndedAt = now;
      if (type === "leases-restarted") {
        if (this.#jumpedBy + TOLERANCE_MS <= 3_000) return "leases started again, but nobody was away";
        this.note("restart", null, now);
      }
      const instance = address && touched.get(instanceKey(address));
      if (!instance || by !== "registry") continue;
      const { beatTimeoutMs, deleteTimeoutMs } = instance.timings;
      const least = type === "expired" ? deleteTimeoutMs : Math.min(beatTimeoutMs, deleteTimeoutMs);
      const silence = now + this.#jumpedBack - this.#last(instanceKey(instance), ["beat", "restart"]);
      if (!(silence >= least)) return `${instanceKey(instance)}: ${type} after ${silence} of ${least} ms`;
    }
    return null;
  }

  /** By how much the clock's jumps back may make things late. */
  #slack(now: number): number {
    this.#jumpsBack = this.#jumpsBack.filter(({ at }) => now <= at + JUMP_EFFECT_MS);
    return this.#jumpsBack.reduce((sum, { by }) => sum + by, 0);
  }

  #auditDues(state: ServiceState, now: number, alarmAt: number | null): string | null {
    const { nextDue } = state;
    const due = earliestDue(state, now);
    if (nextDue > Math.max(due, now) + this.#slack(now))
      return `next due at ${nextDue}, but something is at ${due}`;
    if (nextDue === Number.POSITIVE_INFINITY) return null;
    const latest = Math.max(nextDue, now + 200) + this.#slack(now);
    return (alarmAt ?? Infinity) > latest ? `alarm at ${alarmAt}, due at ${nextDue}` : null;
  }

  /** Nobody lives longer than its time and a second, but for protection, a loss of memory and a clock that jumped. */
  #auditLives(state: ServiceState, now: number): string | null {
    const { protectedSince } = state.record;
    const heldUntil =
      this.#jumpedBack +
      (protectedSince === null ? this.#protectionEndedAt + 1_000 : protectedSince + PROTECT_HOLD_MS);
    for (const [key, { healthy, timings: own }] of state.instances) {
      const last = this.#last(key, ["beat", "restart", "lift"]);
      const flipped = last + Math.min(own.beatTimeoutMs, own.deleteTimeoutMs);
      const until = healthy ? flipped : Math.max(last + own.deleteTimeoutMs, heldUntil);
      const late = this.#time - Math.max(until, this.#last(key, ["edit"])) - this.#slack(now);
      if (!(late <= TOLERANCE_MS)) return `${key}: ${healthy ? "healthy" : "there"} for ${late} ms too long`;
    }
    return null;
  }
}

/** Counts and indexes must be what a recount finds. */
function auditIndexes(state: ServiceState): string | null {
  const counts = { total: 0, healthy: 0, enabled: 0, healthyAndEnabled: 0 } satisfies InstanceCounts;
  const index = new Map<string, number>();
  for (const { ip, port, clusterName, healthy, effective } of state.instances.values()) {
    counts.total++;
    counts.healthy += Number(healthy);
    counts.enabled += Number(effective.enabled);
    counts.healthyAndEnabled += Number(healthy && effective.enabled);
    for (const key of [addressKey(ip, port), clusterName]) index.set(key, (index.get(key) ?? 0) + 1);
  }
  const { byAddress, clusterSizes, instances } = state;
  const found = new Map([
    ...clusterSizes,
    ...[...byAddress].map(([key, there]) => [key, there.length] as const),
  ]);
  if (JSON.stringify(counts) !== JSON.stringify(state.counts)) return "counts are not a recount";
  if (found.size !== index.size || [...found].some(([key, size]) => index.get(key) !== size))
    return "sizes differ";
  const isStale = (one: Instance): boolean => instances.get(instanceKey(one)) !== one;
  return [...byAddress.values()].flat().some(isStale) ? "the index by address holds what is not there" : null;
}
