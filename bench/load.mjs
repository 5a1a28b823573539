import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runAutocannon } from "./autocannon.mjs";
import { findWrk, runWrk } from "./wrk.mjs";

/**
 * What a load generator counted in one round.
 * @typedef {object} Load
 * @property {number} answers
 * @property {number} perSecond
 * @property {number} bytes of all answers with their headers
 * @property {number} failures broken connections and answers that never came
 * @property {number} refused answers whose status is not 2xx; wrk counts from 400 on, and no answer here is a 3xx
 * @property {number} p50 in milliseconds
 * @property {number} p99
 */

/**
 * A round of load, without its targets.
 * @typedef {object} LoadOptions
 * @property {string} url without a path
 * @property {number} seconds
 * @property {number} connections
 */

/**
 * @typedef {object} LoadGenerator
 * @property {string} name with its version
 * @property {(targets: import("./services.mjs").Target[]) => LoadPlan} plan
 */

/**
 * Targets, ready to be sent to one server after the other.
 * @typedef {object} LoadPlan
 * @property {(options: LoadOptions) => Promise<Load>} run
 * @property {() => void} remove
 */

/**
 * wrk where it is installed, since it takes the least time from the server; otherwise autocannon, which npm installs.
 * @returns {Promise<LoadGenerator>}
 */
export async function findLoadGenerator() {
  const wrk = await findWrk();
  if (wrk !== undefined) return { name: wrk, plan: planWrk };
  return {
    name: "autocannon",
    plan: (targets) => ({ run: (options) => runAutocannon(targets, options), remove() {} }),
  };
}

/**
 * @param {import("./services.mjs").Target[]} targets
 * @returns {LoadPlan}
 */
function planWrk(targets) {
  const folder = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const file = join(folder, "requests");
  writeFileSync(file, targets.map(({ method, path }) => `${method} ${path}\n`).join(""));
  return {
    run: (options) => runWrk(file, options),
    remove() {
      remove();
      process.off("exit", remove);
    },
  };
}
