import { median } from "./statistics.mjs";

/** @typedef {import("./measure.mjs").Results} Results */
/** @typedef {import("./comparison.mjs").Comparison} Comparison */

/**
 * @typedef {object} JudgedAim
 * @property {string} aim
 * @property {string} measured
 * @property {boolean} isMet
 */

const MEGABYTE = 1_000_000;

/** The share of a constant worker's answers with an equally long body. */
const MIN_BEATS = 0.3;
const MIN_LISTS = 0.42;
const MAX_IDLE_MEMORY = 100 * MEGABYTE;
const MAX_END_MEMORY = 300 * MEGABYTE;
const MAX_READY_MS = 1_500;

/**
 * Compares a run with what the project aims at.
 * @param {Results} results
 * @returns {JudgedAim[]}
 */
export function judgeAims({ beats, lists, memory, startups, live }) {
  const [npmStart] = startups;
  if (npmStart === undefined) throw new Error("Expected npm start to be measured");
  const ready = median(npmStart.times);
  const lost = live.watched.missing + live.watched.unhealthy;
  return [
    ...beats.map((comparison) => judgeRatio(comparison, MIN_BEATS)),
    ...lists.map((comparison) => judgeRatio(comparison, MIN_LISTS)),
    judgeMemory("memory idle", memory.idle.workerd, MAX_IDLE_MEMORY),
    judgeMemory("memory after the whole run", memory.end.workerd, MAX_END_MEMORY),
    {
      aim: `\`npm start\` ready within ${MAX_READY_MS} ms`,
      measured: `${Math.round(ready)} ms`,
      isMet: ready <= MAX_READY_MS,
    },
    {
      aim: "no live instance is ever missing or unhealthy, no beat refused",
      measured: `${lost} instances, ${live.refusedBeats} beats`,
      isMet: lost === 0 && live.refusedBeats === 0,
    },
  ];
}

/**
 * @param {Comparison} comparison
 * @param {number} least
 * @returns {JudgedAim}
 */
function judgeRatio({ name, nacre, equal }, least) {
  const share = nacre.perSecond / equal.perSecond;
  return {
    aim: `${name}: at least ${least.toFixed(2)} of the constant worker`,
    measured: share.toFixed(3),
    isMet: share >= least,
  };
}

/**
 * @param {string} name
 * @param {number} bytes
 * @param {number} limit
 * @returns {JudgedAim}
 */
function judgeMemory(name, bytes, limit) {
  return {
    aim: `${name} below ${limit / MEGABYTE} MB`,
    measured: `${Math.round(bytes / MEGABYTE)} MB`,
    isMet: bytes < limit,
  };
}
