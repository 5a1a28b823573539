import { Agent, request } from "node:http";

/** @typedef {{ status: number, body: string }} Answer */

/** A client whose connections are kept open, and of which there are never more than so many. */
export class HttpClient {
  #url;
  #agent;

  /**
   * @param {string} url without a path
   * @param {number} connections the most that are open at once; requests beyond wait for one
   */
  constructor(url, connections) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
  }

  /**
   * @param {string} method
   * @param {string} path with its query
   * @returns {Promise<Answer>}
   */
  send(method, path) {
    return new Promise((resolve, reject) => {
      const sent = request(this.#url + path, { method, agent: this.#agent }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (chunk) => (body += chunk));
        response.once("error", reject);
        response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
      sent.once("error", reject);
      sent.end();
    });
  }

  /** Closes all connections. */
  close() {
    this.#agent.destroy();
  }
}

/**
 * Calls a function for each item, so many at once, in order of the items.
 * @template T
 * @param {readonly T[]} items
 * @param {number} limit
 * @param {(item: T) => Promise<void>} call
 */
export async function forEachAtOnce(items, limit, call) {
  const rest = items.values();
  const work = async () => {
    for (const item of rest) await call(item);
  };
  await Promise.all(Array.from({ length: limit }, work));
}
