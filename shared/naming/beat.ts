import { fail, succeed, type Result } from "../errors.ts";
import { finishChange, newDraft, note, type Change } from "./change.ts";
import { heldDue } from "./due.ts";
import {
  addressKey,
  addressOfKey,
  changeInstance,
  DEFAULT_CLUSTER,
  instanceKey,
  type Instance,
} from "./instance.ts";
import {
  kindConflict,
  planRegistration,
  type PlannedRegistration,
  type Registration,
} from "./registration.ts";
import { DEREGISTRATION_MARK_MS, type ServiceState } from "./service.ts";
import { DEFAULT_BEAT_INTERVAL_MS, toldIntervalMs } from "./timings.ts";

/** A sign of life of the instance(s) with an address. */
export interface Beat {
  readonly ip: string;
  readonly port: number;
  /** `null`: none was named, so the instance is found by its address alone. */
  readonly clusterName: string | null;
  /** What a full beat says of its instance, for the case that it must be registered; `null` for a light beat. */
  readonly registration: Omit<Registration, "ip" | "port" | "clusterName"> | null;
}

/** What a beat comes to. */
export type BeatOutcome =
  | { readonly type: "renewed"; readonly instances: readonly Instance[]; readonly change: Change | null }
  | { readonly type: "registered"; readonly planned: PlannedRegistration }
  | { readonly type: "unknown" };

/** The wire form is the codec's; these are its numbers (Nacos 1.x and 2.x). */
export const BEAT_OK = 10_200;
export const BEAT_UNKNOWN = 20_404;

/** What a beat is answered. */
export interface BeatAnswer {
  readonly code: typeof BEAT_OK | typeof BEAT_UNKNOWN;
  /** When the client shall beat next, in milliseconds. */
  readonly beatIntervalMs: number;
}

/** The answer to a beat for an instance that is not there. */
export const UNKNOWN_BEAT_ANSWER: BeatAnswer = {
  code: BEAT_UNKNOWN,
  beatIntervalMs: DEFAULT_BEAT_INTERVAL_MS,
};

/** The answer to a beat that renewed an instance. */
export function renewedAnswer(instance: Instance): BeatAnswer {
  return { code: BEAT_OK, beatIntervalMs: toldIntervalMs(instance.timings) };
}

/**
 * The instances that a beat feeds: with a cluster the one in it; without one that in DEFAULT, else every one with the
 * address (design, section 2).
 */
export function findBeaten(
  state: ServiceState,
  ip: string,
  port: number,
  clusterName: string | null,
): readonly Instance[] {
  const inCluster = state.instances.get(
    instanceKey({ clusterName: clusterName ?? DEFAULT_CLUSTER, ip, port }),
  );
  if (inCluster !== undefined) return [inCluster];
  return clusterName === null ? (state.byAddress.get(addressKey(ip, port)) ?? []) : [];
}

/** Whether an explicit deregistration of this address is so fresh that a beat under way must not bring it back. */
function isHeldOff(state: ServiceState, beat: Beat, now: number): boolean {
  const address = addressKey(beat.ip, beat.port);
  for (const [key, time] of state.deregisteredAt) {
    if (now >= time + DEREGISTRATION_MARK_MS || addressOfKey(key) !== address) continue;
    if (beat.clusterName === null || key === `${beat.clusterName}#${address}`) return true;
  }
  return false;
}

/**
 * Judges a beat (design, section 3, rule 6). A known instance is renewed whatever the beat says of it; weight, enabled and
 * metadata never change. A full beat for an unknown one registers it, unless it was just deregistered.
 * Refuses with `kindConflict`, `instanceInvalid` (timings) as a registration does.
 */
export function judgeBeat(state: ServiceState, beat: Beat, now: number, by: string): Result<BeatOutcome> {
  const beaten = findBeaten(state, beat.ip, beat.port, beat.clusterName);
  const [first] = beaten;
  if (first !== undefined && !first.ephemeral) {
    return beat.registration === null
      ? succeed({ type: "unknown" })
      : kindConflict(state.record.ref, "persistent");
  }
  if (first !== undefined) {
    return succeed({ type: "renewed", instances: beaten, change: reviveSilent(state, beaten, now, by) });
  }
  if (beat.registration === null || isHeldOff(state, beat, now)) return succeed({ type: "unknown" });
  if (beat.ip === "") return fail("parameterMissing", "Param 'ip' is required.");
  const { ip, port, clusterName } = beat;
  const registration = { ...beat.registration, ip, port, clusterName: clusterName ?? DEFAULT_CLUSTER };
  const planned = planRegistration(state, registration, now, {
    by,
    cause: "full beat of an unknown instance",
  });
  return planned.ok ? succeed({ type: "registered", planned: planned.value }) : planned;
}

/** A beat makes an unhealthy instance healthy. */
function reviveSilent(
  state: ServiceState,
  beaten: readonly Instance[],
  now: number,
  by: string,
): Change | null {
  if (beaten.every((instance) => instance.healthy)) return null;
  const draft = newDraft();
  for (const instance of beaten) {
    if (instance.healthy) continue;
    draft.put.set(instanceKey(instance), changeInstance(instance, { healthy: true, lastBeat: now }));
    note(draft, "healthy", instance, "beat", by);
  }
  return finishChange(state, draft, now);
}

/**
 * Moves the lease clocks of beaten instances; the hot path, so in place.
 * @param at when the beat came, `now` or somewhat earlier; a later one that is known already counts
 */
export function renewLeases(
  state: ServiceState,
  instances: readonly Instance[],
  now: number,
  at: number = now,
): void {
  for (const instance of instances) {
    // A clock that jumped back makes the last beat lie ahead.
    instance.lastBeat = instance.lastBeat > now ? at : Math.max(instance.lastBeat, at);
    // Later than what is due already, unless the clock jumped back.
    state.nextDue = Math.min(state.nextDue, heldDue(instance, state.record));
  }
  state.lastBeatAt = now;
}
