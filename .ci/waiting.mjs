// What is known to fail because it waits for something that is not built yet. A check that fails and stands in the list is
// counted as skipped; one that stands there and passes is a failure, so that the list cannot go stale.
import { readFileSync } from "node:fs";

/** @returns {Set<string>} the lines of `.ci/waiting.txt`: `file · case` or `clients · check` */
export function readWaiting() {
  const text = readFileSync(new URL("./waiting.txt", import.meta.url), "utf8");
  const lines = text.split("\n").map((line) => line.trim());
  return new Set(lines.filter((line) => line !== "" && !line.startsWith("#")));
}

/** Counts results against the list, prints what is wrong, then the closing line; returns the exit status. */
export class Tally {
  #waiting = readWaiting();
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  /** @param {string} id @param {string | null} why `null` for a pass */
  add(id, why) {
    if (this.#waiting.has(id)) {
      if (why === null) this.fail(id, "passes, but stands in .ci/waiting.txt: take it out");
      else this.#skipped++;
    } else if (why === null) this.#passed++;
    else this.fail(id, why);
  }

  /** @param {string} id @param {string} why */
  fail(id, why) {
    this.#failed++;
    console.log(`FAIL ${id}\n     ${why}`);
  }

  close() {
    console.log(`${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`);
    return this.#failed > 0 || this.#passed === 0 ? 1 : 0;
  }
}
