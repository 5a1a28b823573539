import { fail, succeed, type Result } from "../errors.ts";
import { finishChange, newDraft, note, type Change, type Draft } from "./change.ts";
import type { Origin } from "./registration.ts";
import { DEFAULT_SETTINGS, type ServiceSettings, type ServiceState } from "./service.ts";
import { groupedName } from "./service-ref.ts";

/**
 * Plans the making of a service by hand. It is untyped until its first instance (design, section 2) and stays when it is
 * empty. Refuses with `serviceExists`, also when a registration made it.
 */
export function planCreation(
  state: ServiceState,
  settings: ServiceSettings,
  now: number,
  origin: Origin,
): Result<Change | null> {
  if (state.record.exists) {
    return fail("serviceExists", `specified service ${groupedName(state.record.ref)} already exists!`);
  }
  const draft = newDraft();
  draft.record = { exists: true, isKept: true, settings };
  note(draft, "service-created", null, origin.cause, origin.by);
  return succeed(finishChange(state, draft, now));
}

/**
 * Plans a full replacement of a service's settings; what is left out goes back to its default. From then on the service
 * stays when it is empty. Refuses with `serviceNotFound`.
 */
export function planUpdate(
  state: ServiceState,
  settings: ServiceSettings,
  now: number,
  origin: Origin,
): Result<Change | null> {
  if (!state.record.exists) return unknownService(state);
  const draft = newDraft();
  draft.record = { isKept: true, settings };
  note(
    draft,
    "service-edited",
    null,
    `${origin.cause}: protectThreshold ${settings.protectThreshold}`,
    origin.by,
  );
  return succeed(finishChange(state, draft, now));
}

/** Plans the deletion of an empty service. Refuses with `serviceNotFound` and `serviceNotEmpty`, in the words of 2.x. */
export function planDeletion(state: ServiceState, now: number, origin: Origin): Result<Change | null> {
  if (!state.record.exists) return unknownService(state);
  if (state.instances.size > 0) {
    const name = groupedName(state.record.ref);
    return fail(
      "serviceNotEmpty",
      `Service ${name} is not empty, can't be delete. Please unregister instance first`,
    );
  }
  const draft = newDraft();
  draftDeletion(state, draft, origin);
  return succeed(finishChange(state, draft, now));
}

/** Ends a service that has no instance, and with it all that was set for it. */
export function draftDeletion(state: ServiceState, draft: Draft, { cause, by }: Origin): void {
  draft.record = { exists: false, isKept: false, settings: DEFAULT_SETTINGS };
  for (const key of state.orphanedOverrides.keys()) draft.orphaned.set(key, null);
  for (const name of state.clusterSettings.keys()) draft.clusters.set(name, null);
  note(draft, "service-deleted", null, cause, by);
}

function unknownService(state: ServiceState): ReturnType<typeof fail> {
  return fail("serviceNotFound", `service ${groupedName(state.record.ref)} not found!`);
}
