import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** A SQLite database without a single table is one page long. */
const EMPTY_BYTES = 4_096;
/** More than this many files are left for the next start, which must stay quick. */
const MAX_FILES = 20_000;

/**
 * Removes what workerd leaves of objects that were asked for and never written to: it makes a database of one empty page for
 * each, also for a name that nobody registered. Only while no server runs on the folder.
 * @param {string} dataDir
 * @returns {number} how many were removed
 */
export function sweepEmpty(dataDir) {
  let looked = 0;
  let removed = 0;
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const folder = join(dataDir, entry.name);
    for (const name of readdirSync(folder)) {
      if (!/^[0-9a-f]{64}\.sqlite$/.test(name)) continue;
      if (++looked > MAX_FILES) return removed;
      if (!isEmpty(join(folder, name))) continue;
      for (const suffix of ["", "-shm", "-wal"]) rmSync(join(folder, name + suffix), { force: true });
      removed++;
    }
  }
  return removed;
}

/** @param {string} path of a database; what stands in its log counts too @returns {boolean} */
function isEmpty(path) {
  if (statSync(path).size > EMPTY_BYTES) return false;
  return !existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0;
}
