import type { Clock } from "../shared/clock.ts";
import { JSON_HEADERS } from "../shared/headers.ts";
import { serviceObjectName, type ServiceRef } from "../shared/naming/service-ref.ts";

/** A list asked for more often than this in one isolate is kept there (design, section 7). */
export const HOT_LISTS_PER_SECOND = 20;
/** How long a kept list is handed out, in milliseconds. */
export const KEEP_LIST_MS = 500;

const WINDOW_MS = 1_000;
/** Strangers choose services and clusters: past this many lists, or characters of keys and bodies, all are forgotten. */
const MAX_LISTS = 2_000;
const MAX_KEPT_LENGTH = 8_000_000;

/** How often a list is asked for, and its body while it is kept. */
interface ListUse {
  windowStart: number;
  count: number;
  wasHot: boolean;
  body: string | null;
  keptUntil: number;
}

/** A question to the object whose answer may be kept, unless a write to the service meanwhile makes it stale. */
interface Question {
  isStale: boolean;
}

/**
 * Lists that one isolate is asked for so often that asking the object each time would be waste. A kept list is at most
 * {@link KEEP_LIST_MS} old, and a write through the same isolate forgets it at once: before the write, so that nobody reads
 * what it replaces, and after it, so that an answer from before it is not kept.
 */
export class HotLists {
  readonly #clock: Clock;
  /** By service, then by list. */
  readonly #uses = new Map<string, Map<string, ListUse>>();
  readonly #questions = new Map<string, Set<Question>>();
  readonly #writing = new Map<string, number>();
  #lists = 0;
  #keptLength = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Answers a list: a kept one, or what `ask` answers.
   * @param key equal for equal lists
   */
  async list(ref: ServiceRef, key: string, ask: () => Promise<Response>): Promise<Response> {
    const name = serviceObjectName(ref);
    const now = this.#clock();
    const use = this.#count(name, key, now);
    if (use.body !== null && now < use.keptUntil) return jsonResponse(use.body);
    if (!use.wasHot && use.count <= HOT_LISTS_PER_SECOND) return ask();
    const question = { isStale: this.#writing.has(name) };
    const questions = this.#questions.get(name) ?? new Set();
    this.#questions.set(name, questions.add(question));
    try {
      const response = await ask();
      if (!response.ok) return response;
      const body = await response.text();
      if (!question.isStale && body.length < MAX_KEPT_LENGTH / 2) this.#keep(use, body, now);
      return jsonResponse(body);
    } finally {
      questions.delete(question);
      if (questions.size === 0) this.#questions.delete(name);
    }
  }

  /** Carries out a write to a service. */
  async whileWriting<T>(ref: ServiceRef, write: () => Promise<T>): Promise<T> {
    const name = serviceObjectName(ref);
    this.#forget(name);
    this.#writing.set(name, (this.#writing.get(name) ?? 0) + 1);
    try {
      return await write();
    } finally {
      const left = (this.#writing.get(name) ?? 1) - 1;
      if (left === 0) this.#writing.delete(name);
      else this.#writing.set(name, left);
      this.#forget(name);
    }
  }

  #count(name: string, key: string, now: number): ListUse {
    const lists = this.#uses.get(name) ?? new Map<string, ListUse>();
    const known = lists.get(key);
    if (known === undefined) return this.#add(name, lists, key, now);
    if (now >= known.windowStart + WINDOW_MS) {
      known.wasHot = known.count > HOT_LISTS_PER_SECOND && now < known.windowStart + 2 * WINDOW_MS;
      known.windowStart = now;
      known.count = 0;
    }
    known.count++;
    return known;
  }

  #add(name: string, lists: Map<string, ListUse>, key: string, now: number): ListUse {
    if (this.#lists >= MAX_LISTS || this.#keptLength > MAX_KEPT_LENGTH) {
      this.#forgetAll();
      lists.clear();
    }
    const use = { windowStart: now, count: 1, wasHot: false, body: null, keptUntil: 0 };
    this.#uses.set(name, lists.set(key, use));
    this.#lists++;
    this.#keptLength += key.length;
    return use;
  }

  #keep(use: ListUse, body: string, askedAt: number): void {
    this.#keptLength += body.length - (use.body?.length ?? 0);
    use.body = body;
    use.keptUntil = askedAt + KEEP_LIST_MS;
    if (this.#keptLength > MAX_KEPT_LENGTH) this.#forgetAll();
  }

  #forget(name: string): void {
    for (const use of this.#uses.get(name)?.values() ?? []) {
      this.#keptLength -= use.body?.length ?? 0;
      use.body = null;
    }
    for (const question of this.#questions.get(name) ?? []) question.isStale = true;
  }

  #forgetAll(): void {
    for (const lists of this.#uses.values()) for (const use of lists.values()) use.body = null;
    this.#uses.clear();
    this.#lists = 0;
    this.#keptLength = 0;
  }
}

function jsonResponse(body: string): Response {
  return new Response(body, { headers: JSON_HEADERS });
}
