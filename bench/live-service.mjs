import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { HttpClient } from "./http-client.mjs";
import { LeaseKeeper } from "./lease-keeper.mjs";
import { registerAll } from "./registering.mjs";
import { beat, checkBeat, instancesOf, list } from "./services.mjs";
import { percentile } from "./statistics.mjs";

/** @typedef {import("./live-watcher.mjs").Watched} Watched */

/** @typedef {{ p50: number, p99: number }} Latency in milliseconds */

/**
 * @typedef {object} LiveService
 * @property {import("./registering.mjs").Registered} registered
 * @property {number} seconds
 * @property {number} beats
 * @property {number} refusedBeats not answered with code 10200
 * @property {Latency} sinceDue from the time a beat was due to its answer
 * @property {Latency} sinceSent from the time it was sent
 * @property {Watched} watched
 */

const BEAT_INTERVAL_MS = 5_000;
const CONNECTIONS = 64;

/**
 * Keeps one large service alive with the leases and beats that clients have by default, and watches its list.
 * @param {string} url of the server
 * @param {{ instances: number, seconds: number }} size
 * @returns {Promise<LiveService>}
 */
export async function runLiveService(url, { instances: count, seconds }) {
  const instances = instancesOf({ name: "live", services: 1, instances: count });
  const [first] = instances;
  if (first === undefined) throw new Error("Expected an instance");
  const keeper = new LeaseKeeper(url);
  const registered = await registerAll(url, instances, {}, (instance) => keeper.add(instance));
  await keeper.stop();

  // In a thread of its own, for reading a list of megabytes would delay the beats.
  const watcher = new Worker(new URL("live-watcher.mjs", import.meta.url), {
    workerData: { url, target: list(first.serviceName), instances },
  });
  const watching = once(watcher, "message");
  const beaten = await beatEvenly(url, instances.map(beat), seconds);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  watcher.postMessage("stop");
  /** @type {Watched[]} */
  const [watched] = await watching;
  if (watched === undefined) throw new Error("Expected what was watched");
  return { registered, seconds, ...beaten, watched };
}

/**
 * Sends every beat once in five seconds, each at its own moment, and no more at once than there are connections.
 * @param {string} url
 * @param {import("./services.mjs").Target[]} targets
 * @param {number} seconds
 */
async function beatEvenly(url, targets, seconds) {
  const client = new HttpClient(url, CONNECTIONS);
  /** @type {number[]} */
  const sinceDue = [];
  /** @type {number[]} */
  const sinceSent = [];
  /** @type {Set<Promise<void>>} */
  const pending = new Set();
  let refusedBeats = 0;

  /**
   * @param {import("./services.mjs").Target} target
   * @param {number} due
   */
  const send = async ({ method, path }, due) => {
    const sentAt = performance.now();
    try {
      checkBeat((await client.send(method, path)).body);
    } catch {
      refusedBeats++;
    }
    const answeredAt = performance.now();
    sinceDue.push(answeredAt - due);
    sinceSent.push(answeredAt - sentAt);
  };

  const started = performance.now();
  const beats = (targets.length * seconds * 1_000) / BEAT_INTERVAL_MS;
  for (let number = 0; number < beats; number++) {
    const due = started + (number * BEAT_INTERVAL_MS) / targets.length;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    if (pending.size >= CONNECTIONS) await Promise.race(pending);
    const target = targets[number % targets.length];
    if (target === undefined) throw new Error("Expected a target");
    const sent = send(target, due).finally(() => pending.delete(sent));
    pending.add(sent);
  }
  await Promise.all(pending);
  client.close();
  return {
    beats: sinceDue.length,
    refusedBeats,
    sinceDue: summarize(sinceDue),
    sinceSent: summarize(sinceSent),
  };
}

/**
 * @param {number[]} latencies
 * @returns {Latency}
 */
function summarize(latencies) {
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
