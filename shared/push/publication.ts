import { canonicalAddress } from "../naming/address.ts";
import { DEFAULT_CLUSTER } from "../naming/instance.ts";
import { REGISTRATION_DEFAULTS, type Registration } from "../naming/registration.ts";
import type { PublishedInstance } from "../schemas/push.ts";

/** An instance that a session publishes: plain data, as it is stored. */
export interface Publication {
  readonly ip: string;
  readonly port: number;
  readonly clusterName: string;
  readonly weight: number;
  readonly enabled: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What `register` publishes: what is not said has Nacos's defaults. */
export function newPublication(sent: PublishedInstance): Publication {
  return updatedPublication(
    {
      ip: canonicalAddress(sent.ip),
      port: sent.port,
      clusterName: sent.clusterName ?? DEFAULT_CLUSTER,
      weight: REGISTRATION_DEFAULTS.weight,
      enabled: REGISTRATION_DEFAULTS.enabled,
      metadata: {},
    },
    sent,
  );
}

/** What `update` makes of a publication: only what is sent changes, metadata merge, and `null` takes a key away. */
export function updatedPublication(old: Publication, sent: PublishedInstance): Publication {
  const metadata = new Map(Object.entries(old.metadata));
  for (const [key, value] of Object.entries(sent.metadata ?? {})) {
    if (value === null) metadata.delete(key);
    else metadata.set(key, String(value));
  }
  return {
    ...old,
    weight: sent.weight ?? old.weight,
    enabled: sent.enabled ?? old.enabled,
    metadata: Object.fromEntries(metadata),
  };
}

/** The registration of a publication. */
export function registrationOf(publication: Publication, session: string): Registration {
  return {
    ...publication,
    healthy: true,
    ephemeral: true,
    metadata: new Map(Object.entries(publication.metadata)),
    session,
  };
}
