import type { ControlObject } from "./control-object.ts";
import type { NamespaceObject } from "./namespace-object.ts";

/** The bindings that objects need of each other. */
export interface ObjectEnv {
  readonly NAMESPACE: DurableObjectNamespace<NamespaceObject>;
  readonly CONTROL: DurableObjectNamespace<ControlObject>;
}

/** The name of the one ControlObject. */
export const CONTROL_NAME = "control";
