import { DurableObject } from "cloudflare:workers";
import type { CatalogueEntry } from "../shared/naming/catalogue.ts";
import type { ServiceRef } from "../shared/naming/service-ref.ts";
import type { NamespaceTotals, PageQuery } from "../shared/store.ts";
import { CONTROL_NAME, type ObjectEnv } from "./env.ts";
import { SqlNamespaceStore } from "./store/namespace-store.ts";

/** The catalogue of one namespace: a row for each of its services (design, section 1). Wakes for requests only. */
export class NamespaceObject extends DurableObject<ObjectEnv> {
  readonly #store: SqlNamespaceStore;

  constructor(ctx: DurableObjectState, env: ObjectEnv) {
    super(ctx, env);
    this.#store = new SqlNamespaceStore(ctx.storage);
  }

  /** A service says how it stands. The first one of a namespace makes the namespace known to the ControlObject. */
  async put(entry: CatalogueEntry): Promise<void> {
    this.#store.put(entry);
    if (this.#store.isAnnounced()) return;
    await this.env.CONTROL.getByName(CONTROL_NAME).noteNamespace(entry.ref.namespaceId);
    this.#store.setAnnounced();
  }

  /** A service says that it is gone. */
  remove(ref: ServiceRef): void {
    this.#store.remove(ref.groupName, ref.serviceName);
  }

  /** A page of the services of a group, or of all, and how many there are in all. */
  page(query: PageQuery): { readonly count: number; readonly entries: CatalogueEntry[] } {
    return { count: this.#store.count(query.groupName), entries: this.#store.page(query) };
  }

  totals(): NamespaceTotals {
    return this.#store.totals();
  }
}
