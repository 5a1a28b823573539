import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { ensureInstalled } from "./ensure-installed.mjs";
import { hasCode, INSTALLED_NODE, isEntryPoint, ReportedError, ROOT, runMain } from "./project.mjs";
import { runCommand } from "./run-command.mjs";

const BUNDLES_DIR = join(ROOT, "dist", "worker");

const ABANDONED_MS = 3_600_000;

/** Whatever can change the bundle. The lock file stands for node_modules. */
const SOURCES = [
  "worker",
  "durable-objects",
  "shared",
  "wrangler.toml",
  "tsconfig.json",
  "package-lock.json",
];

/**
 * Bundles the Worker as `wrangler deploy` does, so that what runs on one machine is the very bundle that is deployed.
 *
 * A bundle lies in a folder named by the hash of its sources and never changes once it is there. So nothing is done
 * when the folder is there already, and servers that start at the same time cannot disturb each other.
 * @returns {Promise<string>} absolute path of the main module, dist/worker/<hash>/index.js
 * @throws {ReportedError} when bundling fails; the message holds wrangler's output
 */
export async function build() {
  const name = hashSources();
  const bundleDir = join(BUNDLES_DIR, name);
  const mainModule = join(bundleDir, "index.js");
  if (existsSync(mainModule)) return mainModule;

  mkdirSync(BUNDLES_DIR, { recursive: true });
  const outdir = join(BUNDLES_DIR, `${name}.${process.pid}`);
  try {
    await runWrangler(outdir);
    moveIntoPlace(outdir, bundleDir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
  removeOldBundles(name);
  return mainModule;
}

/** @param {string} outdir */
async function runWrangler(outdir) {
  const args = [
    join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js"),
    "deploy",
    "--dry-run",
    "--outdir",
    outdir,
  ];
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_WRITE_LOGS: "false",
    // The banner looks for a newer wrangler in the registry: nothing that a build should wait for.
    WRANGLER_HIDE_BANNER: "true",
  };
  const { status, output } = await runCommand(INSTALLED_NODE, args, { env });
  if (status !== 0)
    throw new ReportedError(`${output}The Worker could not be bundled: wrangler ended with ${status}.`);
}

/**
 * @param {string} outdir
 * @param {string} bundleDir
 */
function moveIntoPlace(outdir, bundleDir) {
  try {
    renameSync(outdir, bundleDir);
  } catch (error) {
    // Somebody else built the same sources meanwhile; theirs is as good.
    if (!existsSync(join(bundleDir, "index.js"))) throw error;
  }
}

/**
 * Removes the bundles of older sources. A folder with a dot in its name is being built, or was when its process was
 * killed.
 * @param {string} current
 */
function removeOldBundles(current) {
  for (const name of readdirSync(BUNDLES_DIR)) {
    const path = join(BUNDLES_DIR, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const isOld = name.includes(".") ? age > ABANDONED_MS : name !== current;
    if (isOld) rmSync(path, { recursive: true, force: true });
  }
}

/** @returns {string} 16 hex digits over names and contents of all sources */
function hashSources() {
  const hash = createHash("sha256");
  for (const source of SOURCES) addToHash(hash, source);
  return hash.digest("hex").slice(0, 16);
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} path relative to the top folder
 */
function addToHash(hash, path) {
  const absolute = join(ROOT, path);
  const names = listFolder(absolute);
  if (names) {
    for (const name of names) addToHash(hash, `${path}/${name}`);
    return;
  }
  const content = readFileSync(absolute);
  hash.update(`${path}\0${content.length}\0`).update(content);
}

/**
 * @param {string} path
 * @returns {string[] | undefined} sorted names; undefined when it is a file
 */
function listFolder(path) {
  try {
    return readdirSync(path).toSorted();
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

async function main() {
  await ensureInstalled();
  process.stdout.write(`${await build()}\n`);
}

if (isEntryPoint(import.meta.url)) await runMain(main);
