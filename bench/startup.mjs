import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";

import { lockPath } from "../scripts/data-lock.mjs";
import { killWithParent } from "../scripts/parent-watcher.mjs";
import { ReportedError, ROOT } from "../scripts/project.mjs";

/**
 * @typedef {object} Startup
 * @property {string} command as typed
 * @property {number[]} times from starting it to its ready line, in milliseconds
 */

const READY_LINE = /^Nacre is ready on /m;
const COMMANDS = [
  ["npm", "start", "--"],
  ["node", "scripts/start.mjs"],
];

/**
 * Starts the server on empty folders, as one does in a terminal. What it needs is installed and bundled already.
 * @param {number} runs
 * @returns {Promise<Startup[]>}
 */
export async function measureStartups(runs) {
  const startups = COMMANDS.map((command) => ({ command, times: /** @type {number[]} */ ([]) }));
  for (let run = 0; run < runs; run++) {
    for (const { command, times } of startups) times.push(await startOnce(command));
  }
  return startups.map(({ command, times }) => ({
    command: command.filter((part) => part !== "--").join(" "),
    times,
  }));
}

/**
 * @param {string[]} command
 * @returns {Promise<number>}
 */
async function startOnce([file = "", ...args]) {
  const dataDir = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", removeData);
  const started = performance.now();
  const child = spawn(file, [...args, "--port", "0", "--data", dataDir], {
    cwd: ROOT,
    env: terminalEnv(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.pid === undefined) throw new ReportedError(`${file} could not be run.`);
  const watcher = killWithParent(child.pid);
  const ended = once(child, "close");
  try {
    const took = await Promise.race([readyAt(child.stdout), ended.then(() => undefined)]);
    if (took === undefined) throw new ReportedError(`${file} ended before the server was ready.`);
    return took - started;
  } finally {
    stopServer(dataDir);
    await ended;
    await watcher.dismiss();
    removeData();
    process.off("exit", removeData);
  }
}

/**
 * @param {import("node:stream").Readable} stdout
 * @returns {Promise<number>}
 */
function readyAt(stdout) {
  return new Promise((resolve) => {
    let text = "";
    stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (READY_LINE.test(text)) resolve(performance.now());
    });
  });
}

/**
 * Ends the server itself, which may be npm's grandchild; npm then ends too.
 * @param {string} dataDir
 */
function stopServer(dataDir) {
  try {
    process.kill(JSON.parse(readFileSync(lockPath(dataDir), "utf8")).server.pid, "SIGTERM");
  } catch {
    // It never came so far, or has ended already.
  }
}

/**
 * The environment without what npm added when it ran this benchmark: in a terminal `node` is the machine's own.
 * @returns {NodeJS.ProcessEnv}
 */
export function terminalEnv() {
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !/node_modules[/\\]/.test(folder) && !folder.endsWith("node-gyp-bin"));
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NACRE_)/i.test(name));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
