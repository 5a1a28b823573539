import type { InstanceAddress } from "./instance.ts";

/** What can happen to an instance or a service (design, section 5). */
export const EVENT_TYPES = [
  "registered",
  "deregistered",
  "unhealthy",
  "healthy",
  "expired",
  "override-set",
  "override-cleared",
  "protection-began",
  "protection-ended",
  "leases-restarted",
  "session-subscribed",
  "delivery-failed",
  "service-created",
  "service-edited",
  "service-deleted",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Who is named where the registry acted by itself. */
export const BY_REGISTRY = "registry";

/** How many events a service keeps, and for how long. */
export const MAX_EVENTS = 1_000;
export const EVENT_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;

/** A transition that is about to be recorded. */
export interface NewEvent {
  readonly type: EventType;
  /** The instance it happened to; `null` for the service as a whole. */
  readonly address: InstanceAddress | null;
  /** Why, in words. */
  readonly cause: string;
  /** Who caused it: a client as it named itself, or {@link BY_REGISTRY}. */
  readonly by: string;
}

/** A recorded transition. */
export interface RegistryEvent extends NewEvent {
  /** Grows by one with each event of a service. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The form in which events are answered: newest first, `next` is the `after` of a later call. */
export interface EventPage {
  readonly events: readonly RegistryEvent[];
  readonly next: number;
}
