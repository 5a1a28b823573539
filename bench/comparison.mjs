import { ReportedError } from "../scripts/project.mjs";
import { startConstantServer } from "./constant-server.mjs";
import { HttpClient } from "./http-client.mjs";
import { median } from "./statistics.mjs";

/** @typedef {import("./load.mjs").Load} Load */
/** @typedef {import("./load.mjs").LoadPlan} LoadPlan */

/**
 * What is asked of Nacre and of a constant worker alike.
 * @typedef {object} Question
 * @property {string} name
 * @property {import("./services.mjs").Target[]} targets asked over and over, in this order
 * @property {(body: string) => void} check throws for a wrong answer of Nacre
 * @property {string} [small] a second, short constant to compare with
 */

/**
 * One side of a comparison.
 * @typedef {object} Side
 * @property {number} perSecond median of the rounds
 * @property {number[]} rounds answers a second in each
 * @property {number} p50 median of the rounds, in milliseconds
 * @property {number} p99
 */

/**
 * @typedef {object} Comparison
 * @property {string} name
 * @property {number} bodyBytes
 * @property {Side} nacre
 * @property {Side} equal the constant worker with an answer as long as Nacre's
 * @property {Side} [small] the constant worker with the short answer
 */

/** @typedef {{ url: string, bodyBytes: number, loads: Load[] }} Contender */

const CONNECTIONS = 32;
/** Not counted: an object that nobody asked for ten seconds is out of memory and must be loaded again. */
const WARM_UP_SECONDS = 1;
const SAMPLES = 20;
/** More than status line and headers of any answer here. */
const MAX_HEADER_BYTES = 512;

/**
 * Loads Nacre and a constant worker in turn, so that a machine that grows slow or fast meanwhile does so for both.
 * @param {string} url of Nacre
 * @param {Question} question
 * @param {{ generator: import("./load.mjs").LoadGenerator, rounds: number, seconds: number }} options
 * @returns {Promise<Comparison>}
 * @throws {ReportedError} when an answer is missing, refused or wrong
 */
export async function compare(url, { name, targets, check, small }, { generator, rounds, seconds }) {
  const body = await checkSamples(url, targets, check);
  const bodies = [body, ...(small === undefined ? [] : [small])];
  const constants = await Promise.all(bodies.map(startConstantServer));
  const contenders = [url, ...constants.map((server) => server.url)].map((its, index) => ({
    url: its,
    bodyBytes: Buffer.byteLength(bodies[Math.max(0, index - 1)] ?? ""),
    loads: /** @type {Load[]} */ ([]),
  }));
  const plan = generator.plan(targets);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const contender of contenders) {
        await runRound(plan, contender, WARM_UP_SECONDS);
        contender.loads.push(await runRound(plan, contender, seconds));
      }
      await checkSamples(url, targets, check);
    }
  } finally {
    plan.remove();
    await Promise.all(constants.map((server) => server.stop()));
  }
  const [nacre, equal, smallSide] = contenders.map(({ loads }) => summarize(loads));
  if (nacre === undefined || equal === undefined) throw new Error("Expected two sides");
  const bodyBytes = Buffer.byteLength(body);
  return { name, bodyBytes, nacre, equal, ...(smallSide === undefined ? {} : { small: smallSide }) };
}

/**
 * Asks a few of the targets, spread over all.
 * @param {string} url
 * @param {import("./services.mjs").Target[]} targets
 * @param {(body: string) => void} check
 * @returns {Promise<string>} the last answer
 */
async function checkSamples(url, targets, check) {
  const client = new HttpClient(url, 1);
  let last = "";
  for (let sample = 0; sample < SAMPLES; sample++) {
    const target = targets[Math.floor(((sample + Math.random()) * targets.length) / SAMPLES)];
    if (target === undefined) throw new Error("Expected a target");
    const { status, body } = await client.send(target.method, target.path);
    if (status !== 200) throw new ReportedError(`${target.path} was answered with ${status} "${body}".`);
    check(body);
    last = body;
  }
  client.close();
  return last;
}

/**
 * @param {LoadPlan} plan
 * @param {Contender} contender
 * @param {number} seconds
 * @returns {Promise<Load>}
 */
async function runRound(plan, { url, bodyBytes }, seconds) {
  const load = await plan.run({ url, seconds, connections: CONNECTIONS });
  if (load.failures > 0 || load.refused > 0 || load.answers === 0)
    throw new ReportedError(
      `Of ${load.answers} answers ${load.refused} were not 2xx, ${load.failures} were missing.`,
    );
  // Answers that were only half there at the end count with their bytes.
  const most = (bodyBytes + MAX_HEADER_BYTES) * (load.answers + CONNECTIONS);
  if (load.bytes < bodyBytes * load.answers || load.bytes > most)
    throw new ReportedError(
      `${load.answers} answers with bodies of ${bodyBytes} bytes cannot have ${load.bytes} bytes.`,
    );
  return load;
}

/**
 * @param {Load[]} loads
 * @returns {Side}
 */
function summarize(loads) {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    rounds: loads.map(({ perSecond }) => perSecond),
    p50: median(loads.map(({ p50 }) => p50)),
    p99: median(loads.map(({ p99 }) => p99)),
  };
}
