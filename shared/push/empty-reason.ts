import type { RegistryEvent } from "../naming/event.ts";
import { parseClusters } from "../naming/selection.ts";
import type { ServiceState } from "../naming/service.ts";

/** Why a list holds nothing, so that a client need not take it for a fault. */
export type EmptyReason = "deregistered" | "expired" | "disabled";

/**
 * Why the list of some clusters is empty.
 * @param recent events of the service, newest first
 * @returns `null` when nothing ever left it
 */
export function emptyReason(
  state: ServiceState,
  clusters: string,
  recent: readonly RegistryEvent[],
): EmptyReason | null {
  const asked = parseClusters(clusters);
  const isAsked = (name: string): boolean => asked.length === 0 || asked.includes(name);
  // Lists leave out what is disabled.
  for (const name of state.clusterSizes.keys()) if (isAsked(name)) return "disabled";
  for (const { type, address } of recent) {
    if (address === null || !isAsked(address.clusterName)) continue;
    if (type === "deregistered" || type === "expired") return type;
  }
  return null;
}
