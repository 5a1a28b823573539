import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

import { HttpClient } from "./http-client.mjs";
import { percentile } from "./statistics.mjs";

/**
 * What a watcher saw from its start to the message that stops it, and once more then.
 * @typedef {object} Watched
 * @property {number} checks
 * @property {number} missing instances that were not in the list at one check or more
 * @property {number} unhealthy instances that were unhealthy in the list at one check or more
 * @property {number} listBytes of the last list
 * @property {number} listP50 milliseconds until a list was there
 */

/**
 * @typedef {object} WatcherInput
 * @property {string} url
 * @property {import("./services.mjs").Target} target the list, unhealthy instances and all
 * @property {import("./services.mjs").Instance[]} instances that should be in it
 */

const CHECK_PERIOD_MS = 2_000;

/**
 * @param {WatcherInput} input
 * @param {AbortSignal} stopped
 * @returns {Promise<Watched>}
 */
async function watch({ url, target, instances }, stopped) {
  const client = new HttpClient(url, 1);
  const missing = new Set();
  const unhealthy = new Set();
  const times = [];
  let listBytes = 0;
  for (let isLast = false; ; isLast = stopped.aborted) {
    const asked = performance.now();
    const { body } = await client.send(target.method, target.path);
    times.push(performance.now() - asked);
    listBytes = Buffer.byteLength(body);
    /** @type {{ hosts: { ip: string, healthy: boolean }[] }} */
    const { hosts } = JSON.parse(body);
    const healthByIp = new Map(hosts.map(({ ip, healthy }) => [ip, healthy]));
    for (const { ip } of instances) {
      const isHealthy = healthByIp.get(ip);
      if (isHealthy === undefined) missing.add(ip);
      if (isHealthy === false) unhealthy.add(ip);
    }
    if (isLast) break;
    await sleep(CHECK_PERIOD_MS, undefined, { signal: stopped }).catch(() => {});
  }
  client.close();
  return {
    checks: times.length,
    missing: missing.size,
    unhealthy: unhealthy.size,
    listBytes,
    listP50: percentile(times, 0.5),
  };
}

const stop = new AbortController();
parentPort?.once("message", () => stop.abort());
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(await watch(workerData, stop.signal));
