import { applyCatalogueTold, catalogueEntry, CATALOGUE_PERIOD_MS } from "../shared/naming/catalogue.ts";
import type { ServiceState } from "../shared/naming/service.ts";
import type { ServiceStore } from "../shared/store.ts";
import type { ObjectEnv } from "./env.ts";
import { logFault } from "./log.ts";
import type { ServiceLedger } from "./service-ledger.ts";

/**
 * Tells the NamespaceObject how its service stands: at creation and deletion, awaited by the caller, otherwise at most once
 * in {@link CATALOGUE_PERIOD_MS}, by alarm. That there is something to tell is stored with the change itself, so the last
 * state always arrives.
 */
export class CatalogueReporter {
  readonly #env: ObjectEnv;
  readonly #store: ServiceStore;
  readonly #ledger: ServiceLedger;
  /** Whether the catalogue holds the service; `null` until it was told. */
  #isListed: boolean | null = null;
  #telling: Promise<void> | null = null;

  constructor(env: ObjectEnv, store: ServiceStore, ledger: ServiceLedger) {
    this.#env = env;
    this.#store = store;
    this.#ledger = ledger;
  }

  /** Waits until the catalogue knows that the service is there, or that it is not. */
  async ensureListed(state: ServiceState, now: number): Promise<void> {
    // A call that is under way may carry what was true before: then one more is needed.
    for (let tries = 0; tries < 2; tries++) {
      const { isCatalogueDue, exists } = state.record;
      if (!isCatalogueDue || exists === this.#isListed) return;
      await this.#tell(state, now);
    }
  }

  /** Tells it if it is time. Never throws: what could not be delivered is tried again by alarm. */
  async tellIfDue(state: ServiceState, now: number): Promise<void> {
    if (state.record.isCatalogueDue && this.#ledger.isCatalogueTime(now)) await this.#tell(state, now);
  }

  /** Tells it now; calls made meanwhile share the one that is under way. */
  async #tell(state: ServiceState, now: number): Promise<void> {
    this.#telling ??= this.#deliver(state, now).finally(() => {
      this.#telling = null;
    });
    await this.#telling;
  }

  async #deliver(state: ServiceState, now: number): Promise<void> {
    const { ref } = state.record;
    const entry = catalogueEntry(state);
    const told = JSON.stringify(entry);
    this.#ledger.catalogueNotBefore = now + CATALOGUE_PERIOD_MS;
    // While the call is under way nobody knows what the catalogue holds.
    this.#isListed = null;
    try {
      const namespace = this.#env.NAMESPACE.getByName(ref.namespaceId);
      if (entry === null) await namespace.remove(ref);
      else await namespace.put(entry);
      this.#isListed = entry !== null;
      if (JSON.stringify(catalogueEntry(state)) === told) {
        this.#store.saveCatalogueTold();
        applyCatalogueTold(state);
      }
    } catch (error) {
      logFault("catalogue-not-told", error, { service: ref });
    }
    this.#ledger.arm(now);
  }
}
