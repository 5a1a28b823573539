import { z } from "zod";
import type { ControlObject } from "../durable-objects/control-object.ts";
import type { NamespaceObject } from "../durable-objects/namespace-object.ts";
import type { ServiceObject } from "../durable-objects/service-object.ts";
import type { SessionObject } from "../durable-objects/session-object.ts";

/** What the runtime binds, as `wrangler.toml` and the configuration of `npm start` name it. */
export interface Bindings {
  readonly SERVICE: DurableObjectNamespace<ServiceObject>;
  readonly NAMESPACE: DurableObjectNamespace<NamespaceObject>;
  readonly CONTROL: DurableObjectNamespace<ControlObject>;
  readonly SESSION: DurableObjectNamespace<SessionObject>;
  readonly NACRE_PORT?: string;
  readonly SESSION_SHARDS?: string;
}

/** The environment of Hono's context. */
export interface AppEnv {
  Bindings: Bindings;
}

const SettingsSchema = z.object({
  NACRE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, { error: "NACRE_PORT should be a port, 0 to 65535" })
    .default("443")
    .meta({
      description: "The port that clients reach the registry on, as /v1/console/server/state tells it",
    }),
  SESSION_SHARDS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, { error: "SESSION_SHARDS should be a whole number, 1 to 999" })
    .default("4")
    .transform(Number)
    .meta({ description: "Over how many objects the sockets of a namespace and region are spread" }),
});

/** The settings of an instance of Nacre; throws a text that names the setting when one is bad. */
export function readSettings(bindings: Bindings): z.output<typeof SettingsSchema> {
  return SettingsSchema.parse(bindings);
}
