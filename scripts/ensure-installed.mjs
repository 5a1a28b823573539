import { createHash } from "node:crypto";
import { lstatSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { BIN_DIR, isEntryPoint, ReportedError, ROOT, runMain } from "./project.mjs";
import { runCommand } from "./run-command.mjs";

const LOCK_FILE = join(ROOT, "package-lock.json");
const MODULES = join(ROOT, "node_modules");
const STAMP_FILE = join(MODULES, ".nacre-lock");
/** npm writes this file last, so it is also the time of the newest complete installation. */
const NPM_STAMP_FILE = join(MODULES, ".package-lock.json");

/**
 * Installs the packages with `npm ci` when they are missing or do not belong to package-lock.json. Uses nothing but
 * what Node 20 brings, as it runs before any package is there.
 * @returns {Promise<void>}
 * @throws {ReportedError} when the installation fails; the message holds npm's output
 */
export async function ensureInstalled() {
  const lockHash = createHash("sha256").update(readFileSync(LOCK_FILE)).digest("hex");
  if (readStamp() === lockHash || isNewer(NPM_STAMP_FILE, LOCK_FILE)) return;

  if (lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ReportedError(`${MODULES} is a link: npm ci would empty the folder that it points to.`);
  }
  process.stderr.write("installing packages (first run) ...\n");
  const { status, output } = await runCommand("npm", ["ci", "--no-audit", "--no-fund"], {
    env: outsideEnv(),
  });
  if (status !== 0) {
    throw new ReportedError(`${output}Packages could not be installed: npm ci ended with status ${status}.`);
  }
  writeFileSync(STAMP_FILE, lockHash);
}

/**
 * npm scripts put node_modules/.bin first on the PATH, and with it the very Node that `npm ci` is about to delete.
 * @returns {NodeJS.ProcessEnv}
 */
function outsideEnv() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== BIN_DIR);
  return { ...process.env, PATH: folders.join(delimiter) };
}

/** @returns {string | undefined} */
function readStamp() {
  try {
    return readFileSync(STAMP_FILE, "utf8");
  } catch {
    // No stamp: installed by hand, or not at all.
    return undefined;
  }
}

/**
 * @param {string} file
 * @param {string} other
 * @returns {boolean} false also when `file` is not there
 */
function isNewer(file, other) {
  const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return time !== undefined && time > statSync(other).mtimeMs;
}

if (isEntryPoint(import.meta.url)) await runMain(ensureInstalled);
