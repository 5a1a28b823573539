import type { SessionObject } from "../durable-objects/session-object.ts";
import { sessionObjectName, shardOf, type SessionPlace } from "../shared/push/session-name.ts";
import type { Bindings } from "./env.ts";

/** Where the object of a continent's clients is best placed: Cloudflare's location hints, by `request.cf.continent`. */
const HINTS: Readonly<Record<string, DurableObjectLocationHint>> = {
  AF: "afr",
  AS: "apac",
  EU: "weur",
  NA: "enam",
  OC: "oc",
  SA: "sam",
};
/** The region of a client whose continent is not known, as on one machine. */
const NO_REGION = "any";

/** Where a client's session is held: by its namespace, the region of its request, and a hash of its id. */
export function placeSession(
  namespaceId: string,
  clientId: string,
  continent: unknown,
  shards: number,
): SessionPlace {
  const region = (typeof continent === "string" ? HINTS[continent] : undefined) ?? NO_REGION;
  return { namespaceId, region, shard: shardOf(clientId, shards) };
}

/** The stub of a session object, and its name. */
export function sessionStub(
  env: Bindings,
  place: SessionPlace,
): { stub: DurableObjectStub<SessionObject>; name: string } {
  const name = sessionObjectName(place);
  const locationHint = Object.values(HINTS).find((hint) => hint === place.region);
  const stub = env.SESSION.get(env.SESSION.idFromName(name), locationHint && { locationHint });
  return { stub, name };
}
