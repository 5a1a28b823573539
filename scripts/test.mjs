import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "./build.mjs";
import { check } from "./check.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";
import { BIN_DIR, INSTALLED_NODE, ReportedError, runMain } from "./project.mjs";
import { runCommand } from "./run-command.mjs";

/**
 * The part of Vitest's JSON report that is counted.
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one per file
 */

/**
 * Checks, bundles (the end-to-end tests start the bundle) and runs all tests.
 * @returns {Promise<number>} exit status
 */
async function main() {
  await ensureInstalled();
  const checked = await check();
  await build();
  const { status, report } = await runVitest(process.argv.slice(2));

  const { passed, failed, skipped } = countTests(report);
  if (!checked) process.stdout.write("A check failed, see above.\n");
  if (passed + failed === 0) process.stdout.write("No test was run.\n");
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
  return checked && status === 0 && failed === 0 && passed > 0 ? 0 : 1;
}

/**
 * @param {string[]} args further arguments for Vitest
 * @returns {Promise<{ status: number, report: VitestReport }>}
 */
async function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), "nacre-test-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { status } = await runCommand(
      INSTALLED_NODE,
      [join(BIN_DIR, "vitest"), "run", ...reporters, ...args],
      {
        show: true,
      },
    );
    return { status, report: readReport(file, status) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @param {number} status
 * @returns {VitestReport}
 */
function readReport(file, status) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new ReportedError(`Vitest ended with status ${status} and left no report.\n0 passed, 0 failed`);
  }
}

/**
 * A file that could not be run (a syntax error, a failing hook) counts as one failed test: its tests are not in the
 * report, and the closing line must not read as if all were well.
 * @param {VitestReport} report
 */
function countTests({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const unrun = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  );
  return {
    passed: numPassedTests,
    failed: numFailedTests + unrun.length,
    skipped: numPendingTests + numTodoTests,
  };
}

await runMain(main);
