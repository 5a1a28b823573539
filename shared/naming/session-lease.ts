import { finishChange, newDraft, note, type Change } from "./change.ts";
import { changeInstance, instanceKey, type Instance } from "./instance.ts";
import { ORPHANED_OVERRIDE_LIFETIME_MS, type ServiceState } from "./service.ts";

/** How long a session may be away, when it was the registry that dropped its socket, before its instances are marked. */
export const SESSION_GRACE_MS = 15_000;

/** The instances that live by a session. */
function ownedBy(state: ServiceState, session: string): Instance[] {
  return [...state.instances.values()].filter((instance) => instance.session === session);
}

/**
 * Plans the end of a session: what it published goes at once (Nacos 2.x, with a connection). Overrides wait for it as they
 * do after an expiry.
 * @returns `null` when nothing lives by it
 */
export function planSessionEnd(
  state: ServiceState,
  session: string,
  now: number,
  cause: string,
): Change | null {
  const draft = newDraft();
  for (const instance of ownedBy(state, session)) {
    const key = instanceKey(instance);
    draft.removed.set(key, instance);
    note(draft, "deregistered", instance, cause, session);
    if (instance.override === null) continue;
    const expiresAt = now + ORPHANED_OVERRIDE_LIFETIME_MS;
    draft.orphaned.set(key, { override: instance.override, expiresAt });
  }
  return finishChange(state, draft, now);
}

/**
 * Plans what follows when a session did not come back: its instances are unhealthy and have an ordinary lease from now on,
 * as if they had been silent for as long as that takes, so that they go when such a lease ends, and protection holds them
 * up.
 * @returns `null` when nothing lives by it
 */
export function planSessionLoss(state: ServiceState, session: string, now: number): Change | null {
  const draft = newDraft();
  for (const instance of ownedBy(state, session)) {
    const lastBeat = now - instance.timings.beatTimeoutMs;
    draft.put.set(
      instanceKey(instance),
      changeInstance(instance, { session: null, healthy: false, lastBeat }),
    );
    const cause = `its session did not come back for ${SESSION_GRACE_MS} ms`;
    note(draft, "unhealthy", instance, cause, session);
  }
  return finishChange(state, draft, now);
}
