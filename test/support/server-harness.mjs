import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { lockPath } from "../../scripts/data-lock.mjs";
import { killWithParent } from "../../scripts/parent-watcher.mjs";
import { isRunning } from "../../scripts/process-identity.mjs";

/** @typedef {import("../../scripts/process-identity.mjs").ProcessIdentity} ProcessIdentity */
/** @typedef {{ status: number | null, signal: NodeJS.Signals | null }} ProcessEnd */

/**
 * @typedef {object} StartedProcess scripts/start.mjs, started with any arguments
 * @property {number} pid
 * @property {() => string} stdout
 * @property {() => string} stderr
 * @property {Promise<ProcessEnd>} ended
 * @property {(signal: NodeJS.Signals) => void} signal
 */

/**
 * @typedef {object} ServerOptions
 * @property {string} [data] folder for the data, kept; without it a temporary one, removed by `stop`
 * @property {number} [port] without it a free one
 * @property {Record<string, string>} [env] further environment variables
 */

/**
 * @typedef {object} TestServer
 * @property {string} url `http://127.0.0.1:<port>`
 * @property {number} port
 * @property {string} dataDir
 * @property {number} workerdPid
 * @property {StartedProcess} process of scripts/start.mjs
 * @property {() => Promise<void>} stop in order; harmless when it has ended already
 * @property {() => Promise<void>} kill9 kills workerd and its parent with -9 and keeps the data; then `restart`
 * @property {() => Promise<void>} restart stops it, if it runs, and starts it again on the same data and port
 */

const START_SCRIPT = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
const READY_LINE = /^Nacre is ready on (http:\/\/\S+) \(data in (.*)\)\n$/;
const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 5_000;

/**
 * Starts scripts/start.mjs and does not wait for anything. It ends with this process, however that ends.
 * @param {string[]} args
 * @param {Record<string, string>} [env] further environment variables; NACRE_* of this process do not count
 * @returns {StartedProcess}
 */
export function launch(args, env = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("NACRE_"));
  const child = spawn(process.execPath, [START_SCRIPT, ...args], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`Expected ${process.execPath} to start`);
  const watcher = killWithParent(pid);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk) => (stderr += chunk));
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: once(child, "close").then(async ([status, signal]) => {
      await watcher.dismiss();
      return { status, signal };
    }),
    signal: (signal) => child.kill(signal),
  };
}

/**
 * Starts a server with data and port of its own and waits until it is ready.
 * @param {ServerOptions} [options]
 * @returns {Promise<TestServer>}
 */
export async function startServer({ data, port = 0, env = {} } = {}) {
  const dataDir = data ?? mkdtempSync(join(tmpdir(), "nacre-data-"));
  const removeData = () => data ?? rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", removeData);

  let running = await startAndWait({ dataDir, port, env });
  const ownPort = Number(new URL(running.url).port);
  const stopProcess = async () => {
    running.process.signal("SIGTERM");
    await running.process.ended;
  };
  return {
    url: running.url,
    port: ownPort,
    dataDir,
    get workerdPid() {
      return running.workerd.pid;
    },
    get process() {
      return running.process;
    },
    async stop() {
      await stopProcess();
      removeData();
      process.off("exit", removeData);
    },
    async kill9() {
      // The parent first: it would end in order if it saw workerd die.
      running.process.signal("SIGKILL");
      killIfRunning(running.workerd);
      await running.process.ended;
      await waitFor(() => !isRunning(running.workerd), "workerd to be gone");
    },
    async restart() {
      await stopProcess();
      running = await startAndWait({ dataDir, port: ownPort, env });
    },
  };
}

/** @param {ProcessIdentity} identity */
function killIfRunning(identity) {
  try {
    if (isRunning(identity)) process.kill(identity.pid, "SIGKILL");
  } catch {
    // It ended between the two calls.
  }
}

/** @param {{ dataDir: string, port: number, env: Record<string, string> }} options */
async function startAndWait({ dataDir, port, env }) {
  const started = launch(["--port", String(port), "--data", dataDir], env);
  const { url } = await waitUntilReady(started);
  return { process: started, url, workerd: findWorkerd(dataDir) };
}

/**
 * @param {StartedProcess} started
 * @returns {Promise<{ url: string, dataDir: string }>} as its line says
 * @throws when it ends before, with what it wrote
 */
export async function waitUntilReady(started) {
  let hasEnded = false;
  void started.ended.then(() => (hasEnded = true));
  try {
    await waitFor(
      () => hasEnded || started.stdout().includes("\n"),
      "the server to be ready",
      START_TIMEOUT_MS,
    );
  } catch (error) {
    started.signal("SIGTERM");
    throw error;
  }
  const [, url, dataDir] = READY_LINE.exec(started.stdout()) ?? [];
  if (url === undefined || dataDir === undefined) {
    throw new Error(
      `Expected the line of a ready server, got "${started.stdout()}" and "${started.stderr()}"`,
    );
  }
  return { url, dataDir };
}

/**
 * The workerd that serves a data folder, as the lock file there names it.
 * @param {string} dataDir
 * @returns {ProcessIdentity}
 */
export function findWorkerd(dataDir) {
  return JSON.parse(readFileSync(lockPath(dataDir), "utf8")).workerd;
}

/**
 * @param {() => boolean} condition
 * @param {string} what for the text of the error
 * @param {number} [timeoutMs]
 * @returns {Promise<void>}
 */
export async function waitFor(condition, what, timeoutMs = END_TIMEOUT_MS) {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(10);
  }
}
