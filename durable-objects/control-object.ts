import { DurableObject } from "cloudflare:workers";
import type { ObjectEnv } from "./env.ts";
import { SqlControlStore } from "./store/control-store.ts";

/** What there is one of: so far, which namespaces are in use. Wakes for requests only. */
export class ControlObject extends DurableObject<ObjectEnv> {
  readonly #store: SqlControlStore;

  constructor(ctx: DurableObjectState, env: ObjectEnv) {
    super(ctx, env);
    this.#store = new SqlControlStore(ctx.storage);
  }

  /** A namespace says that it has a service. Harmless when said again. */
  noteNamespace(namespaceId: string): void {
    this.#store.noteNamespace(namespaceId);
  }

  /** Every namespace that ever had a service, in ascending order. */
  namespaces(): string[] {
    return this.#store.namespaces();
  }
}
