import type { ControlObject } from "./control-object.ts";
import type { NamespaceObject } from "./namespace-object.ts";
import type { ServiceObject } from "./service-object.ts";
import type { SessionObject } from "./session-object.ts";

/** The bindings that objects need of each other. */
export interface ObjectEnv {
  readonly NAMESPACE: DurableObjectNamespace<NamespaceObject>;
  readonly CONTROL: DurableObjectNamespace<ControlObject>;
  readonly SERVICE: DurableObjectNamespace<ServiceObject>;
  readonly SESSION: DurableObjectNamespace<SessionObject>;
}

/** The name of the one ControlObject. */
export const CONTROL_NAME = "control";
