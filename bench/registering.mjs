import { performance } from "node:perf_hooks";

import { ReportedError } from "../scripts/project.mjs";
import { forEachAtOnce, HttpClient } from "./http-client.mjs";
import { registration } from "./services.mjs";
import { percentile } from "./statistics.mjs";

/**
 * @typedef {object} Registered
 * @property {number} instances
 * @property {number} perSecond
 * @property {number} p50 in milliseconds, from sending to the answer `ok`
 * @property {number} p99
 */

const CONNECTIONS = 32;

/**
 * Registers new instances as fast as the server takes them, one request for each.
 * @param {string} url of the server
 * @param {import("./services.mjs").Instance[]} instances
 * @param {Record<string, string>} metadata
 * @param {(instance: import("./services.mjs").Instance) => void} [onRegistered]
 * @returns {Promise<Registered>}
 * @throws {ReportedError} when one is answered with anything but `ok`
 */
export async function registerAll(url, instances, metadata, onRegistered) {
  const requests = instances.map((instance) => ({ instance, ...registration(instance, metadata) }));
  const client = new HttpClient(url, CONNECTIONS);
  /** @type {number[]} */
  const latencies = [];
  const started = performance.now();
  await forEachAtOnce(requests, CONNECTIONS, async ({ instance, method, path }) => {
    const sent = performance.now();
    const { status, body } = await client.send(method, path);
    latencies.push(performance.now() - sent);
    if (status !== 200 || body !== "ok")
      throw new ReportedError(`A registration was answered with ${status} "${body}".`);
    onRegistered?.(instance);
  });
  const seconds = (performance.now() - started) / 1_000;
  client.close();
  return {
    instances: instances.length,
    perSecond: instances.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
