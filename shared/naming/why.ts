import { findInstance } from "./edit.ts";
import { BY_REGISTRY, type RegistryEvent } from "./event.ts";
import type { Instance, NamedAddress } from "./instance.ts";
import { describeOverride, readSwitch } from "./override.ts";
import type { ServiceState } from "./service.ts";
import { groupedName } from "./service-ref.ts";

/** What an instance is in, or how it left. */
export type InstanceCondition = "healthy" | "unhealthy" | "disabled" | "deregistered" | "expired" | "unknown";

/** Why an instance is in the state it is in, or why it left. */
export interface Explanation {
  readonly state: InstanceCondition;
  /** Since when, in milliseconds; `null` when no event tells. */
  readonly since: number | null;
  readonly text: string;
  /** The last events of the instance, newest first. */
  readonly events: readonly RegistryEvent[];
}

/** How many events an explanation holds. */
export const EXPLAINED_EVENTS = 10;

/** Event types that say how an instance left, and those that say how it came to be as it is. */
const LEFT = ["deregistered", "expired"] as const;
const CAME = {
  healthy: ["registered", "healthy"],
  unhealthy: ["unhealthy", "registered"],
} as const;

/** Explains an instance from its state and its last events (newest first). */
export function explainInstance(
  state: ServiceState,
  address: NamedAddress,
  events: readonly RegistryEvent[],
  now: number,
): Explanation {
  const found = findInstance(state, address);
  return found.ok ? explainPresent(state, found.value, events, now) : explainAbsent(state, address, events);
}

function explainPresent(
  state: ServiceState,
  instance: Instance,
  told: readonly RegistryEvent[],
  now: number,
): Explanation {
  const events = told.filter(({ address }) => address?.clusterName === instance.clusterName);
  const health = instance.healthy ? "healthy" : "unhealthy";
  const condition = instance.effective.enabled ? health : "disabled";
  const reason = condition === "disabled" ? whyDisabled(instance, events) : newest(events, CAME[condition]);
  const sentences = [`The instance is ${instance.effective.enabled ? "" : "disabled and "}${health}.`];
  if (reason !== undefined) sentences.push(tell(reason));
  if (instance.ephemeral) sentences.push(`Its lease was renewed ${now - instance.lastBeat} ms ago.`);
  else sentences.push("It is persistent: it lives until it is deregistered.");
  if (instance.override !== null) sentences.push(`An operator set: ${describeOverride(instance.override)}.`);
  if (state.record.protectedSince !== null) {
    sentences.push("The service is protected, so lists show every instance as healthy.");
  }
  return { state: condition, since: reason?.time ?? null, text: sentences.join(" "), events };
}

function newest(events: readonly RegistryEvent[], types: readonly string[]): RegistryEvent | undefined {
  return events.find(({ type }) => types.includes(type));
}

/** Disabled by itself, or by an operator: then it is the first of the latest edits that switched it off. */
function whyDisabled(instance: Instance, events: readonly RegistryEvent[]): RegistryEvent | undefined {
  if (instance.override?.enabled !== false) return newest(events, ["registered"]);
  let reason: RegistryEvent | undefined;
  for (const event of events) {
    if (event.type !== "override-set") continue;
    const isSwitchedOn = readSwitch(event.cause);
    if (isSwitchedOn === true) break;
    if (isSwitchedOn === false) reason = event;
  }
  return reason;
}

function explainAbsent(
  state: ServiceState,
  address: NamedAddress,
  events: readonly RegistryEvent[],
): Explanation {
  const left = newest(events, LEFT);
  if (left === undefined) {
    const where = `${address.ip}:${address.port} in ${groupedName(state.record.ref)}`;
    return { state: "unknown", since: null, text: `Nothing is known of ${where}.`, events };
  }
  const condition = left.type === "deregistered" ? "deregistered" : "expired";
  return { state: condition, since: left.time, text: `The instance is gone. ${tell(left)}`, events };
}

function tell(event: RegistryEvent): string {
  const time = new Date(event.time).toISOString();
  const by = event.by === BY_REGISTRY ? "by the registry itself" : `by ${event.by}`;
  return `${time}: ${event.type} ${by} (${event.cause}).`;
}
