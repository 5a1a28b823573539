/**
 * How much is measured.
 * @typedef {object} Size
 * @property {number} rounds of each side of a comparison
 * @property {number} roundSeconds that count; one more goes before
 * @property {number} startups of each command
 * @property {{ instances: number, seconds: number }} live
 */

/** @type {Size} */
export const WHOLE = {
  rounds: 3,
  roundSeconds: 4,
  startups: 7,
  live: { instances: 5_000, seconds: 60 },
};

/**
 * Shows that all of it works; its numbers say little.
 * @type {Size}
 */
export const QUICK = { rounds: 1, roundSeconds: 1, startups: 1, live: { instances: 500, seconds: 15 } };
