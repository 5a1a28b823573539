import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { identifyProcess, isRunning } from "./process-identity.mjs";
import { hasCode, ReportedError } from "./project.mjs";

/** @typedef {import("./process-identity.mjs").ProcessIdentity} ProcessIdentity */

/**
 * What the lock file holds, as JSON.
 * @typedef {object} LockHolder
 * @property {ProcessIdentity} server the process of scripts/start.mjs
 * @property {ProcessIdentity} [workerd]
 */

const RETRY_MS = 20;
/** How long a workerd whose parent was killed may take to follow it. */
const ORPHAN_TIMEOUT_MS = 2_000;

/**
 * @param {string} dataDir
 * @returns {string}
 */
export function lockPath(dataDir) {
  return join(dataDir, "nacre.lock");
}

/**
 * Makes this process the only one that serves a data folder: two on one folder would split every object in two. The
 * file names processes and not just says "in use", since a process killed with -9 leaves it behind.
 * @param {string} dataDir absolute, present
 * @returns {Promise<{ setWorkerd(pid: number): void, release(): void }>}
 * @throws {ReportedError} when another server has the folder
 * @throws {NodeJS.ErrnoException} when the folder cannot be written
 */
export async function lockData(dataDir) {
  const path = lockPath(dataDir);
  /** @type {LockHolder} */
  const own = { server: identifyProcess(process.pid) ?? { pid: process.pid, started: "" } };
  const deadline = Date.now() + ORPHAN_TIMEOUT_MS;

  while (!create(path, JSON.stringify(own))) {
    const text = read(path);
    const holder = parse(text);
    if (holder && isRunning(holder.server)) throw inUse(dataDir, holder.server.pid);
    const mayChange = holder?.workerd ? isRunning(holder.workerd) : text === "";
    if (!mayChange) takeAway(path, text);
    else if (Date.now() < deadline) await sleep(RETRY_MS);
    else if (holder?.workerd) throw inUse(dataDir, holder.workerd.pid);
    else takeAway(path, text);
  }

  return {
    setWorkerd(pid) {
      const workerd = identifyProcess(pid);
      const next = `${path}.${process.pid}`;
      writeFileSync(next, JSON.stringify(workerd ? { ...own, workerd } : own));
      renameSync(next, path);
    },
    release() {
      if (parse(read(path))?.server.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {boolean} false when the file is there already
 */
function create(path, text) {
  try {
    const file = openSync(path, "wx");
    writeSync(file, text);
    closeSync(file);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @returns {string | undefined} undefined when it went meanwhile; empty while its owner is about to write it
 */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * @param {string | undefined} text
 * @returns {LockHolder | undefined}
 */
function parse(text) {
  try {
    const holder = JSON.parse(text ?? "null");
    return typeof holder?.server?.pid === "number" ? holder : undefined;
  } catch {
    // Cut off by a power failure: nobody that still runs wrote it.
    return undefined;
  }
}

/**
 * Removes a lock whose holder is gone. Another start may do the same at this moment and have put its own lock there, so
 * it is first moved aside and looked at: of two that take away the same lock, one finds a lock it did not mean.
 * @param {string} path
 * @param {string | undefined} expected
 */
function takeAway(path, expected) {
  if (expected === undefined) return;
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  if (read(aside) === expected) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/**
 * @param {string} dataDir
 * @param {number} pid
 */
function inUse(dataDir, pid) {
  return new ReportedError(
    `Data folder ${dataDir} is in use by another Nacre (process ${pid}): stop it, or choose another folder with --data.`,
  );
}
