import { renderListBody, type ListQuery } from "../shared/naming/list-body.ts";
import type { ServiceState } from "../shared/naming/service.ts";

/**
 * Most bytes of rendered lists that all objects of an isolate keep together. An isolate has 128 MB, a list of 50,000
 * instances has 20 million characters, and strangers choose `clusters`.
 */
export const MAX_KEPT_BYTES = 48_000_000;
/** What an entry costs beside its texts. */
const ENTRY_BYTES = 200;

interface Rendered {
  readonly owner: ListCache;
  readonly key: string;
  readonly body: string;
}

/** What the caches of this isolate keep, the least recently used first; a global, because they share its memory. */
const kept = new Set<Rendered>();
let keptBytes = 0;

/** What a list costs: a text of other letters than Latin-1 takes two bytes a character, and the key is one too. */
function bytesOf({ key, body }: Rendered): number {
  return ENTRY_BYTES + 2 * (key.length + body.length);
}

function drop(rendered: Rendered): void {
  if (kept.delete(rendered)) keptBytes -= bytesOf(rendered);
}

/** The rendered lists of one revision, by query: each is rendered once and handed out as text (design, section 5). */
export class ListCache {
  readonly #lists = new Map<string, Rendered>();
  #revision = -1;

  /** The body of a list; `key` is equal for equal queries. */
  body(state: ServiceState, key: string, query: ListQuery): string {
    if (this.#revision !== state.record.revision) this.#restart(state.record.revision);
    const known = this.#lists.get(key);
    if (known !== undefined) {
      kept.delete(known);
      kept.add(known);
      return known.body;
    }
    const body = renderListBody(state, query);
    // A list of a service that does not exist is as quickly rendered as kept.
    if (state.record.exists) this.#keep({ owner: this, key, body });
    return body;
  }

  #restart(revision: number): void {
    for (const rendered of this.#lists.values()) drop(rendered);
    this.#lists.clear();
    this.#revision = revision;
  }

  #keep(rendered: Rendered): void {
    this.#lists.set(rendered.key, rendered);
    kept.add(rendered);
    keptBytes += bytesOf(rendered);
    for (const oldest of kept) {
      if (keptBytes <= MAX_KEPT_BYTES || oldest === rendered) break;
      drop(oldest);
      oldest.owner.#lists.delete(oldest.key);
    }
  }
}
