import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { forEachAtOnce, HttpClient } from "./http-client.mjs";
import { beat, checkBeat } from "./services.mjs";

/** @typedef {import("./services.mjs").Instance} Instance */

const BEAT_INTERVAL_MS = 5_000;
const CHECK_PERIOD_MS = 100;
const CONNECTIONS = 16;

/**
 * Beats for instances that are registered, as their clients would, while others are still being registered: on a slow
 * machine that takes longer than the lease of the first.
 */
export class LeaseKeeper {
  #client;
  #stopped = new AbortController();
  /** @type {Map<Instance, number>} when its next beat is due */
  #due = new Map();
  #work;

  /** @param {string} url of the server */
  constructor(url) {
    this.#client = new HttpClient(url, CONNECTIONS);
    this.#work = this.#run();
    // Told by `stop`.
    this.#work.catch(() => {});
  }

  /** @param {Instance} instance that was registered just now */
  add(instance) {
    this.#due.set(instance, performance.now() + BEAT_INTERVAL_MS);
  }

  /** Ends it after the beats that are on their way. Whoever goes on must do so within the lease. */
  async stop() {
    this.#stopped.abort();
    await this.#work;
    this.#client.close();
  }

  async #run() {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const now = performance.now();
      const instances = [...this.#due].filter(([, due]) => due <= now).map(([instance]) => instance);
      await forEachAtOnce(instances, CONNECTIONS, async (instance) => {
        if (signal.aborted) return;
        const { method, path } = beat(instance);
        checkBeat((await this.#client.send(method, path)).body);
        this.add(instance);
      });
      await sleep(CHECK_PERIOD_MS, undefined, { signal }).catch(() => {});
    }
  }
}
