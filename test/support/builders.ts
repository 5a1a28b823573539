import { judgeBeat, renewLeases, type Beat } from "../../shared/naming/beat.ts";
import { applyChange, type Change } from "../../shared/naming/change.ts";
import { expire, refreshDue, restartLeases, wasAway } from "../../shared/naming/expiry.ts";
import { planPatch, planReplacement, type InstanceEdit } from "../../shared/naming/edit.ts";
import { instanceKey, type Instance, type NamedAddress } from "../../shared/naming/instance.ts";
import {
  planDeregistration,
  planRegistration,
  type Origin,
  type Registration,
} from "../../shared/naming/registration.ts";
import {
  DEFAULT_SETTINGS,
  emptyState,
  newRecord,
  type ServiceSettings,
} from "../../shared/naming/service.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";
import { planUpdate } from "../../shared/naming/settings.ts";
import type { Result } from "../../shared/errors.ts";

export const REF: ServiceRef = { namespaceId: "public", groupName: "DEFAULT_GROUP", serviceName: "orders" };
export const ORIGIN: Origin = { by: "tester", cause: "test" };
/** When a test's clock begins: a plain number, so that sums are easy to read. */
export const START = 1_000_000;

/** Short timings, in milliseconds: interval 1,000, unhealthy after 3,000, removed after 6,000. */
export const SHORT_TIMINGS = new Map([
  ["preserved.heart.beat.interval", "1000"],
  ["preserved.heart.beat.timeout", "3000"],
  ["preserved.ip.delete.timeout", "6000"],
]);

/** A registration with defaults. */
export function registration(fields: Partial<Registration> = {}): Registration {
  return {
    ip: "10.0.0.1",
    port: 80,
    clusterName: "DEFAULT",
    weight: 1,
    enabled: true,
    healthy: true,
    ephemeral: true,
    metadata: new Map(),
    ...fields,
  };
}

/** A light beat with defaults: no cluster is named. */
export function lightBeat(fields: Partial<Beat> = {}): Beat {
  return { ip: "10.0.0.1", port: 80, clusterName: null, registration: null, ...fields };
}

/** A full beat with defaults. */
export function fullBeat(fields: Partial<Beat> = {}): Beat {
  const { ip: _ip, port: _port, clusterName: _clusterName, ...rest } = registration();
  return lightBeat({ registration: rest, ...fields });
}

/** An address with defaults, without a cluster. */
export function address(fields: Partial<NamedAddress> = {}): NamedAddress {
  return { ip: "10.0.0.1", port: 80, clusterName: null, ...fields };
}

/** Metadata, or an edit of metadata, from an object. */
export function metadata<T extends string | null>(object: Record<string, T>): ReadonlyMap<string, T> {
  return new Map(Object.entries(object));
}

function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(`Expected a success, got ${result.error.name}: ${result.error.message}`);
}

/** A service whose plans are applied as the object applies them, with a clock that is moved by hand. */
export class TestService {
  readonly state = emptyState(newRecord(REF, START));
  now = START;
  /** Every change that was applied, oldest first. */
  readonly changes: Change[] = [];

  /** Moves the clock and does what it makes due, in one step, as a read or an alarm at that time would. */
  advanceTo(now: number): this {
    this.now = now;
    if (now < this.state.nextDue) return this;
    const due = this.state.nextDue;
    if (wasAway(due, now)) this.commit(restartLeases(this.state, due, now));
    this.commit(expire(this.state, now));
    refreshDue(this.state, now);
    return this;
  }

  /** Moves the clock by a span, acting on each duty at its own time. */
  run(span: number): this {
    const end = this.now + span;
    while (this.state.nextDue <= end) this.advanceTo(Math.max(this.now, this.state.nextDue));
    return this.advanceTo(end);
  }

  commit(change: Change | null): Change | null {
    if (change === null) return null;
    applyChange(this.state, change);
    this.changes.push(change);
    return change;
  }

  register(fields: Partial<Registration> = {}): Change | null {
    const { change, renewed } = unwrap(planRegistration(this.state, registration(fields), this.now, ORIGIN));
    if (renewed !== null) renewLeases(this.state, [renewed], this.now);
    return this.commit(change);
  }

  deregister(fields: Partial<NamedAddress> = {}): number {
    const { removed, change } = planDeregistration(this.state, address(fields), this.now, ORIGIN);
    this.commit(change);
    return removed;
  }

  /** Takes a beat; says what came of it. */
  beat(beat: Beat): "renewed" | "registered" | "unknown" {
    const outcome = unwrap(judgeBeat(this.state, beat, this.now, ORIGIN.by));
    if (outcome.type === "registered") this.commit(outcome.planned.change);
    if (outcome.type === "renewed") {
      this.commit(outcome.change);
      renewLeases(this.state, outcome.instances, this.now);
    }
    return outcome.type;
  }

  put(edit: InstanceEdit, fields: Partial<NamedAddress> = {}): Change | null {
    return this.commit(unwrap(planReplacement(this.state, address(fields), edit, this.now, ORIGIN)));
  }

  patch(edit: InstanceEdit, fields: Partial<NamedAddress> = {}): Change | null {
    return this.commit(unwrap(planPatch(this.state, address(fields), edit, this.now, ORIGIN)));
  }

  configure(settings: Partial<ServiceSettings>): Change | null {
    return this.commit(
      unwrap(planUpdate(this.state, { ...DEFAULT_SETTINGS, ...settings }, this.now, ORIGIN)),
    );
  }

  /** The instance with an address, in DEFAULT unless a cluster is named. */
  find(fields: Partial<NamedAddress> = {}): Instance | undefined {
    const { ip, port, clusterName } = address(fields);
    return this.state.instances.get(instanceKey({ ip, port, clusterName: clusterName ?? "DEFAULT" }));
  }
}
