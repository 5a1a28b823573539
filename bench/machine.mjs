import { createRequire } from "node:module";
import { cpus, loadavg, totalmem, type } from "node:os";

import { runCommand } from "../scripts/run-command.mjs";
import { terminalEnv } from "./startup.mjs";

/**
 * Where and with what was measured, as lines of a table.
 * @param {string} loadGenerator
 * @returns {Promise<[string, string][]>}
 */
export async function describeMachine(loadGenerator) {
  const cores = cpus();
  /** @type {{ version: string }} */
  const { version } = createRequire(import.meta.url)("workerd/package.json");
  const { output: node } = await runCommand("node", ["-v"], { env: terminalEnv() });
  return [
    ["date", new Date().toISOString().slice(0, 10)],
    [
      "machine",
      `${cores.length} cores (${cores[0]?.model ?? "unknown"}), ${gigabytes(totalmem())} GB, ${type()}`,
    ],
    ["load average before", loadavg()[0]?.toFixed(2) ?? ""],
    ["workerd", version],
    ["load generator", loadGenerator],
    ["Node of the terminal (time to ready)", node.trim()],
    ["Node that measures, and starts the measured server", process.version],
  ];
}

/** @param {number} bytes */
function gigabytes(bytes) {
  return Math.round(bytes / 1_024 ** 3);
}
