import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** A SQLite database without a single table is one page long. */
const EMPTY_BYTES = 4_096;
/** The start must stay quick: what is not reached is left for the next one, which begins somewhere else. */
const MAX_MS = 250;

/**
 * Removes what workerd leaves of objects that were asked for and never written to: it makes a database of one empty page for
 * each, also for a name that nobody registered. Only while no server runs on the folder.
 * @param {string} dataDir
 * @returns {number} how many were removed
 */
export function sweepEmpty(dataDir) {
  const deadline = Date.now() + MAX_MS;
  let removed = 0;
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    if (entry.isDirectory()) removed += sweepFolder(join(dataDir, entry.name), deadline);
  }
  return removed;
}

/** @param {string} folder @param {number} deadline in milliseconds @returns {number} how many were removed */
function sweepFolder(folder, deadline) {
  const names = readdirSync(folder);
  const all = new Set(names);
  const databases = names.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const first = Math.floor(Math.random() * databases.length);
  let removed = 0;
  for (const name of [...databases.slice(first), ...databases.slice(0, first)]) {
    if (Date.now() > deadline) break;
    if (!isEmpty(folder, name, all)) continue;
    for (const suffix of ["", "-shm", "-wal"])
      if (all.has(name + suffix)) rmSync(join(folder, name + suffix));
    removed++;
  }
  return removed;
}

/**
 * @param {string} folder
 * @param {string} name of a database; what stands in its log counts too
 * @param {Set<string>} all names in the folder
 * @returns {boolean}
 */
function isEmpty(folder, name, all) {
  if (statSync(join(folder, name)).size > EMPTY_BYTES) return false;
  return !all.has(`${name}-wal`) || statSync(join(folder, `${name}-wal`)).size === 0;
}
