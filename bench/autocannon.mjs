import { createRequire } from "node:module";

/** @typedef {import("./services.mjs").Target} Target */

/**
 * The part of autocannon, which brings no types, that is used here.
 * @typedef {object} AutocannonOptions
 * @property {string} url
 * @property {number} connections
 * @property {number} duration
 * @property {Target[]} requests
 * @property {(client: { setRequests(requests: Target[]): void }) => void} setupClient
 */

/**
 * @typedef {object} AutocannonResult
 * @property {number} duration
 * @property {number} errors
 * @property {number} non2xx
 * @property {{ total: number }} requests
 * @property {{ total: number }} throughput
 * @property {{ p50: number, p99: number }} latency
 */

/** @type {(options: AutocannonOptions) => Promise<AutocannonResult>} */
const autocannon = createRequire(import.meta.url)("autocannon");

/**
 * @param {Target[]} targets
 * @param {import("./load.mjs").LoadOptions} options
 * @returns {Promise<import("./load.mjs").Load>}
 */
export async function runAutocannon(targets, { url, seconds, connections }) {
  let clients = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: targets,
    setupClient(client) {
      // Each connection begins elsewhere, or all would ask the same service at the same time.
      const first = Math.floor((clients++ * targets.length) / connections);
      client.setRequests([...targets.slice(first), ...targets.slice(0, first)]);
    },
  });
  return {
    answers: result.requests.total,
    perSecond: result.requests.total / result.duration,
    bytes: result.throughput.total,
    failures: result.errors,
    refused: result.non2xx,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
