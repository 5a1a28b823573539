import { CONTROL_NAME } from "../durable-objects/env.ts";
import { serviceObjectName, type ServiceRef } from "../shared/naming/service-ref.ts";
import type { ControlObject } from "../durable-objects/control-object.ts";
import type { NamespaceObject } from "../durable-objects/namespace-object.ts";
import type { ServiceObject } from "../durable-objects/service-object.ts";
import type { Bindings } from "./env.ts";

/**
 * Ids by object name. An id is a hash of the name, so it is the same in every request; a stub is not, since it may break.
 * Bounded, because strangers choose names.
 */
const serviceIds = new Map<string, DurableObjectId>();
const MAX_KEPT_IDS = 4_000;

/** The stub of a service's object; makes no call. */
export function serviceStub(env: Bindings, ref: ServiceRef): DurableObjectStub<ServiceObject> {
  const name = serviceObjectName(ref);
  let id = serviceIds.get(name);
  if (id === undefined) {
    id = env.SERVICE.idFromName(name);
    if (serviceIds.size >= MAX_KEPT_IDS) serviceIds.clear();
    serviceIds.set(name, id);
  }
  return env.SERVICE.get(id);
}

/** The stub of a namespace's catalogue. */
export function namespaceStub(env: Bindings, namespaceId: string): DurableObjectStub<NamespaceObject> {
  return env.NAMESPACE.getByName(namespaceId);
}

/** The stub of the one ControlObject. */
export function controlStub(env: Bindings): DurableObjectStub<ControlObject> {
  return env.CONTROL.getByName(CONTROL_NAME);
}
