/** A service as a child would keep it: a log of what came, and all else looked up by reading it from the start. */
export interface NaiveInstance {
  healthy: boolean;
  enabled: boolean;
  /** What an operator set; `null` for nothing. */
  enabledByOperator: boolean | null;
  readonly timeout: number;
  readonly removal: number;
}

interface Sign {
  readonly key: string;
  readonly at: number;
}

const HOLD = 30 * 60_000;
const WAIT = 60_000;

export class NaiveLeases {
  readonly instances = new Map<string, NaiveInstance>();
  /** Until when what an operator set waits for its instance. */
  readonly orphans = new Map<string, { until: number; enabled: boolean }>();
  readonly #signs: Sign[] = [];
  threshold = 0;
  protectedSince: number | null = null;

  /** When the last sign of life of an instance came. */
  lastSign(key: string): number {
    return this.#signs.findLast((sign) => sign.key === key)?.at ?? Number.NaN;
  }

  sign(key: string, at: number): void {
    this.#signs.push({ key, at });
  }

  register(key: string, fields: Omit<NaiveInstance, "enabledByOperator" | "enabled">, now: number): void {
    const byOperator = this.instances.get(key)?.enabledByOperator ?? this.orphans.get(key)?.enabled ?? null;
    this.orphans.delete(key);
    this.instances.set(key, { ...fields, enabledByOperator: byOperator, enabled: byOperator ?? true });
    this.sign(key, now);
    this.look(now);
  }

  beat(key: string, now: number): boolean {
    const instance = this.instances.get(key);
    if (instance === undefined) return false;
    instance.healthy = true;
    this.sign(key, now);
    this.look(now);
    return true;
  }

  deregister(key: string, now: number): void {
    this.instances.delete(key);
    this.orphans.delete(key);
    this.look(now);
  }

  enable(key: string, enabled: boolean, now: number): void {
    const instance = this.instances.get(key);
    if (instance === undefined) return;
    instance.enabledByOperator = enabled;
    instance.enabled = enabled;
    this.look(now);
  }

  /** Every wait begins again. */
  restart(now: number): void {
    for (const key of this.instances.keys()) this.sign(key, now);
    for (const orphan of this.orphans.values()) orphan.until = now + WAIT;
  }

  /** Looks whether the service is protected. */
  look(now: number): void {
    const enabled = [...this.instances.values()].filter((instance) => instance.enabled);
    const healthy = enabled.filter((instance) => instance.healthy);
    const isProtected =
      this.threshold > 0 && enabled.length > 0 && healthy.length / enabled.length <= this.threshold;
    this.protectedSince = isProtected ? (this.protectedSince ?? now) : null;
  }

  /** When something is to be done next, looking at everything. */
  nextDue(): number {
    const holdEnd = this.protectedSince === null ? -Infinity : this.protectedSince + HOLD;
    const dues = [...this.instances].map(([key, { healthy, timeout, removal }]) => {
      const last = this.lastSign(key);
      return healthy ? last + Math.min(timeout, removal) : Math.max(last + removal, holdEnd);
    });
    return Math.min(Infinity, ...dues, ...[...this.orphans.values()].map(({ until }) => until));
  }

  /** Does all that is to be done at a time. */
  act(now: number): void {
    for (const [key, instance] of this.instances) {
      if (now >= this.lastSign(key) + instance.timeout) instance.healthy = false;
    }
    this.look(now);
    const isHeld = this.protectedSince !== null && now < this.protectedSince + HOLD;
    for (const [key, instance] of this.instances) {
      if (now < this.lastSign(key) + instance.removal) continue;
      if (isHeld) instance.healthy = false;
      else this.#expire(key, instance, now);
    }
    for (const [key, { until }] of this.orphans) if (now >= until) this.orphans.delete(key);
    this.look(now);
  }

  #expire(key: string, { enabledByOperator }: NaiveInstance, now: number): void {
    this.instances.delete(key);
    if (enabledByOperator !== null) this.orphans.set(key, { until: now + WAIT, enabled: enabledByOperator });
  }

  /** Lets time pass, doing everything at its own time. */
  run(from: number, until: number): void {
    for (let due = this.nextDue(); due <= until; due = this.nextDue()) this.act(Math.max(from, due));
  }
}
