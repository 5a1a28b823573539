import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { build } from "./build.mjs";
import { lockData } from "./data-lock.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";
import { describeTakenPort, findPort, formatAddress } from "./listen-address.mjs";
import { describeFailure, ReportedError, ROOT } from "./project.mjs";
import { readStartOptions, USAGE } from "./start-options.mjs";
import { sweepEmpty } from "./sweep-empty.mjs";
import { isModule, renderWorkerdConfig } from "./workerd-config.mjs";
import { startWorkerd } from "./workerd-process.mjs";

const READINESS_PATH = "/v1/console/health/readiness";
const READINESS_POLL_MS = 15;
const READINESS_TIMEOUT_MS = 30_000;

/** @typedef {Awaited<ReturnType<typeof lockData>>} DataLock */

/**
 * Starts the server and stays until it ends. Cheap checks come first, so that a mistyped option is told at once and not
 * after an installation.
 * @param {import("./start-options.mjs").StartOptions} options
 * @returns {Promise<number>} exit status: 0 when it was told to stop
 * @throws {ReportedError}
 */
async function serve({ host, port: wantedPort, dataDir }) {
  const lock = await openDataDir(dataDir);
  process.once("exit", () => lock.release());
  const port = await findPort(host, wantedPort);
  await ensureInstalled();
  sweepEmpty(dataDir);
  const configPath = await writeConfig({ host, port, dataDir, mainModule: await build() });
  return supervise({ configPath, host, port, dataDir, lock });
}

/**
 * @param {string} dataDir
 * @returns {Promise<DataLock>}
 */
async function openDataDir(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true });
    return await lockData(dataDir);
  } catch (error) {
    if (error instanceof ReportedError || !(error instanceof Error)) throw error;
    throw new ReportedError(
      `Data folder ${dataDir} cannot be used (${error.message}): --data must name a folder that can be created and written.`,
    );
  }
}

/**
 * Writes the configuration into the data folder, which is this server's alone: several servers may start at once.
 * @param {{ host: string, port: number, dataDir: string, mainModule: string }} input
 * @returns {Promise<string>} its path
 */
async function writeConfig({ host, port, dataDir, mainModule }) {
  // Not imported above, as it may only just have been installed.
  const { parse } = await import("smol-toml");
  const bundleDir = dirname(mainModule);
  const others = readdirSync(bundleDir).map((name) => join(bundleDir, name));
  const toml = parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
  const text = renderWorkerdConfig({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrangler checked its shape while bundling
    wrangler: /** @type {any} */ (toml),
    configDir: dataDir,
    modules: [mainModule, ...others.filter((path) => path !== mainModule && isModule(path))],
    bundleDir,
    dataDir,
    address: formatAddress(host, port),
    port,
  });
  const configPath = join(dataDir, "workerd.capnp");
  writeFileSync(configPath, text);
  return configPath;
}

/**
 * @param {{ configPath: string, host: string, port: number, dataDir: string, lock: DataLock }} input
 * @returns {Promise<number>} exit status
 */
async function supervise({ configPath, host, port, dataDir, lock }) {
  const workerd = startWorkerd(configPath);
  lock.setWorkerd(workerd.pid);
  const told = onStopSignal();
  const ready = workerd.listening.then(() => waitUntilReady(host, port));

  const first = await Promise.race([ready, told, workerd.ended]);
  if (first === "ready") {
    workerd.showOutput();
    process.stdout.write(`Nacre is ready on http://${formatAddress(host, port)} (data in ${dataDir})\n`);
  }
  const outcome = first === "ready" ? await Promise.race([told, workerd.ended]) : first;
  await workerd.stop();
  if (outcome === "told") return 0;

  const output = workerd.heldOutput();
  if (output.includes("Address already in use")) throw new ReportedError(describeTakenPort(host, port));
  const what =
    outcome === "late" ? `was not ready within ${READINESS_TIMEOUT_MS / 1000} s` : `ended with ${outcome}`;
  throw new ReportedError(
    `${output}${output && "\n"}workerd (process ${workerd.pid}) ${what}; Nacre has stopped.`,
  );
}

/** @returns {Promise<"told">} settles at the first signal; later ones change nothing, the end is near anyway */
function onStopSignal() {
  process.removeAllListeners("SIGINT").removeAllListeners("SIGTERM").removeAllListeners("SIGHUP");
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => resolve("told"));
  });
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<"ready" | "late">}
 */
async function waitUntilReady(host, port) {
  const deadline = Date.now() + READINESS_TIMEOUT_MS;
  while (!(await isReady(host, port))) {
    if (Date.now() > deadline) return "late";
    await sleep(READINESS_POLL_MS);
  }
  return "ready";
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isReady(host, port) {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READINESS_PATH, agent: false, timeout: 1_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
  });
}

// Whoever reads the output may go away before the server does; that must not end it.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
// Until workerd runs there is nothing to end in order; the tools that are running end with this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(0));

try {
  const options = readStartOptions(process.argv.slice(2), process.env);
  if (options === "help") process.stdout.write(USAGE);
  else process.exitCode = await serve(options);
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
