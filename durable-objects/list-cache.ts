import { renderListBody, type ListQuery } from "../shared/naming/list-body.ts";
import type { ServiceState } from "../shared/naming/service.ts";

/** Most queries whose text is kept: strangers choose `clusters`, so their number must be bounded. */
const MAX_KEPT = 64;

/** The rendered lists of one revision, by query: each is rendered once and handed out as text (design, section 5). */
export class ListCache {
  readonly #bodies = new Map<string, string>();
  #revision = -1;

  /** The body of a list; `key` is equal for equal queries. */
  body(state: ServiceState, key: string, query: ListQuery): string {
    if (this.#revision !== state.record.revision) {
      this.#bodies.clear();
      this.#revision = state.record.revision;
    }
    const known = this.#bodies.get(key);
    if (known !== undefined) return known;
    const body = renderListBody(state, query);
    if (this.#bodies.size >= MAX_KEPT) this.#bodies.clear();
    this.#bodies.set(key, body);
    return body;
  }
}
