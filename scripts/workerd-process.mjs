import { spawn } from "node:child_process";
import { createRequire } from "node:module";

import { killWithParent } from "./parent-watcher.mjs";
import { ReportedError } from "./project.mjs";

/** workerd waits for open keep-alive connections before it heeds SIGTERM, for as long as the clients like. */
const STOP_TIMEOUT_MS = 700;
const KEPT_LINES = 20;

/**
 * @typedef {object} WorkerdProcess
 * @property {number} pid
 * @property {Promise<void>} listening settles when the socket is open; never, when it cannot be opened
 * @property {Promise<string>} ended settles with how it ended, in words ("status 1", "signal SIGKILL")
 * @property {() => string} heldOutput what it wrote so far, the last lines; empty after `showOutput`
 * @property {() => void} showOutput from now on its output goes to stderr as it comes
 * @property {() => Promise<void>} stop
 */

/**
 * The executable itself. The command in node_modules/.bin may be a script that runs it as a child, which would live on
 * when the script is killed.
 * @returns {string}
 */
export function findBinary() {
  return createRequire(import.meta.url)("workerd").default;
}

/**
 * Starts workerd on a configuration. It does not outlive this process.
 * @param {string} configPath
 * @returns {WorkerdProcess}
 * @throws {ReportedError} when it cannot be run
 */
export function startWorkerd(configPath) {
  // Descriptor 3 is told when the socket is open. A group of its own keeps a Ctrl-C in the terminal from reaching it
  // before this process can know that its end is meant.
  const child = spawn(findBinary(), ["serve", "--control-fd=3", configPath], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) {
    child.once("error", () => {});
    throw new ReportedError(
      `workerd could not be run: ${child.spawnfile} is not an executable for this machine.`,
    );
  }
  const watcher = killWithParent(pid);

  /** @type {Promise<string>} */
  const ended = new Promise((resolve) => {
    child.once("close", async (status, signal) => {
      await watcher.dismiss();
      resolve(signal ? `signal ${signal}` : `status ${status}`);
    });
  });

  return {
    pid,
    ended,
    listening: new Promise((resolve) => child.stdio[3]?.once("data", () => resolve())),
    ...holdOutput([child.stdout, child.stderr]),
    async stop() {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

/** @param {(import("node:stream").Readable | null)[]} streams */
function holdOutput(streams) {
  let held = "";
  let shown = false;
  for (const stream of streams) {
    stream?.setEncoding("utf8").on("data", (chunk) => {
      if (shown) process.stderr.write(chunk);
      else held = (held + chunk).split("\n").slice(-KEPT_LINES).join("\n");
    });
  }
  return {
    heldOutput: () => held.trim(),
    showOutput() {
      process.stderr.write(held);
      held = "";
      shown = true;
    },
  };
}
