import { fileURLToPath } from "node:url";

import { ReportedError } from "../scripts/project.mjs";
import { runCommand } from "../scripts/run-command.mjs";

/** @typedef {import("./load.mjs").Load} Load */

const SCRIPT = fileURLToPath(new URL("requests.lua", import.meta.url));

/** @returns {Promise<string | undefined>} its name and version; undefined when it is not installed */
export async function findWrk() {
  const { output } = await runCommand("wrk", ["-v"]);
  return /^wrk \S+/.exec(output)?.[0];
}

/**
 * @param {string} file one "METHOD path" a line
 * @param {import("./load.mjs").LoadOptions} options
 * @returns {Promise<Load>}
 */
export async function runWrk(file, { url, seconds, connections }) {
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT, url, "--", file];
  const { status, output } = await runCommand("wrk", args);
  const result = /^RESULT (.*)$/m.exec(output)?.[1];
  if (status !== 0 || result === undefined)
    throw new ReportedError(`${output}\nwrk ended with status ${status}.`);
  /** @type {Omit<Load, "perSecond"> & { micros: number }} */
  const { micros, ...load } = JSON.parse(result);
  return { ...load, perSecond: (load.answers / micros) * 1_000_000 };
}
