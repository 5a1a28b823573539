import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "../test/support/server-harness.mjs";
import { compare } from "./comparison.mjs";
import { runLiveService } from "./live-service.mjs";
import { findLoadGenerator } from "./load.mjs";
import { describeMachine } from "./machine.mjs";
import { readMemory } from "./memory.mjs";
import { askBeats, askLists, besideShort, checkAlive } from "./questions.mjs";
import { registerAll } from "./registering.mjs";
import { instancesOf, LONG_LEASE } from "./services.mjs";
import { measureStartups } from "./startup.mjs";

/** @typedef {import("../test/support/server-harness.mjs").TestServer} TestServer */
/** @typedef {import("./comparison.mjs").Comparison} Comparison */
/** @typedef {import("./memory.mjs").MemoryReading} MemoryReading */
/** @typedef {{ name: string } & import("./registering.mjs").Registered} NamedRegistered */

/**
 * All that one run measured.
 * @typedef {object} Results
 * @property {[string, string][]} machine
 * @property {import("./startup.mjs").Startup[]} startups `npm start` first
 * @property {Comparison[]} beats
 * @property {Comparison[]} lists
 * @property {Comparison & { services: number }} seldomLists
 * @property {NamedRegistered[]} registrations
 * @property {{ idle: MemoryReading, filled: MemoryReading, end: MemoryReading, manyServices: MemoryReading }} memory
 * @property {import("./live-service.mjs").LiveService} live
 * @property {import("./size.mjs").Size} size
 * @property {number} seconds that the run took
 */

/**
 * @typedef {object} Options
 * @property {import("./size.mjs").Size} size
 * @property {import("./load.mjs").LoadGenerator} generator
 * @property {(what: string) => void} tell what is about to be measured
 */

const LISTED = { name: "listed", services: 100, instances: 100 };
const BEATEN = { name: "beaten", services: 100, instances: 10 };
const LARGE = { name: "large", services: 1, instances: 1_000 };
/** So many that each is asked for less than 20 times a second, the rate from which on a worker keeps a list. */
const SELDOM_LISTED = { name: "seldom", services: 500, instances: 2 };
/** Until what a start or a load left behind is collected. */
const SETTLE_MS = 2_000;

/**
 * Measures everything once.
 * @param {import("./size.mjs").Size} size
 * @param {(what: string) => void} tell
 * @returns {Promise<Results>}
 */
export async function measure(size, tell) {
  const begun = performance.now();
  const generator = await findLoadGenerator();
  const machine = await describeMachine(generator.name);
  tell("time to ready");
  const startups = await measureStartups(size.startups);
  const options = { size, generator, tell };
  const main = await withServer((server) => measureServer(server, options));
  const seldom = await withServer((server) => measureSeldomLists(server, options));
  return {
    machine,
    startups,
    beats: main.beats,
    lists: main.lists,
    seldomLists: { ...seldom.lists, services: SELDOM_LISTED.services },
    registrations: [...main.registrations, seldom.registered],
    memory: { ...main.memory, manyServices: seldom.memory },
    live: main.live,
    size,
    seconds: (performance.now() - begun) / 1_000,
  };
}

/**
 * @template T
 * @param {(server: TestServer) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withServer(use) {
  const server = await startServer();
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * @param {TestServer} server with nothing in it
 * @param {Options} options
 */
async function measureServer(server, options) {
  const { size, tell } = options;
  const idle = await settle("idle, just started on an empty folder", server);
  const registrations = [await fill(server, LISTED, options)];
  const filled = await settle("with 10,000 instances in 100 services", server);

  for (const set of [BEATEN, LARGE]) registrations.push(await fill(server, set, options));
  const beats = await compareAll(server, [askBeats(BEATEN), askBeats(LARGE)], options);
  for (const set of [BEATEN, LARGE]) await checkAlive(server.url, set);
  const lists = await compareAll(
    server,
    [LISTED, { ...LISTED, services: 1 }].map((set) => besideShort(askLists(set))),
    options,
  );

  tell(`${size.live.instances} live instances in one service for ${size.live.seconds} s`);
  const live = await runLiveService(server.url, size.live);
  registrations.push({ name: "1 service, the one kept alive below", ...live.registered });
  const end = await settle("after the whole run", server);
  return { beats, lists, registrations, memory: { idle, filled, end }, live };
}

/**
 * @param {TestServer} server with nothing in it
 * @param {Options} options
 */
async function measureSeldomLists(server, options) {
  const registered = await fill(server, SELDOM_LISTED, options);
  const [lists] = await compareAll(server, [askLists(SELDOM_LISTED)], options);
  if (lists === undefined) throw new Error("Expected a comparison");
  const memory = await settle("another server, 500 services, after their lists were read", server);
  return { registered, lists, memory };
}

/**
 * @param {TestServer} server
 * @param {import("./comparison.mjs").Question[]} questions
 * @param {Options} options
 */
async function compareAll(server, questions, { size, generator, tell }) {
  const comparisons = [];
  for (const question of questions) {
    tell(question.name);
    comparisons.push(
      await compare(server.url, question, { generator, rounds: size.rounds, seconds: size.roundSeconds }),
    );
  }
  return comparisons;
}

/**
 * @param {TestServer} server
 * @param {import("./services.mjs").ServiceSet} set
 * @param {Options} options
 * @returns {Promise<NamedRegistered>}
 */
async function fill(server, set, { tell }) {
  const name = set.services === 1 ? "1 service" : `${set.services} services, made by their first instance`;
  tell(`registrations: ${set.services * set.instances} instances, ${name}`);
  return { name, ...(await registerAll(server.url, instancesOf(set), LONG_LEASE)) };
}

/**
 * @param {string} name
 * @param {TestServer} server
 */
async function settle(name, server) {
  await sleep(SETTLE_MS);
  return readMemory(name, server);
}
