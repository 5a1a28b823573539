import { existsSync } from "node:fs";
import { join } from "node:path";

import { ensureInstalled } from "./ensure-installed.mjs";
import { BIN_DIR, INSTALLED_NODE, isEntryPoint, ROOT, runMain } from "./project.mjs";
import { runCommand } from "./run-command.mjs";

/** Folders whose types are checked by themselves, as each may use other platform names. */
const TYPED_FOLDERS = ["", "shared", "test", "scripts", "bench"];

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} command for Node: a script and its arguments
 */

/** @returns {Step[]} */
function listSteps() {
  const configs = TYPED_FOLDERS.map((folder) => join(folder, "tsconfig.json"));
  return [
    { name: "format", command: [join(BIN_DIR, "oxfmt"), "--check", "."] },
    { name: "lint", command: [join(BIN_DIR, "oxlint"), "--type-aware", "--deny-warnings"] },
    ...configs
      .filter((config) => existsSync(join(ROOT, config)))
      .map((config) => ({
        name: `types (${config})`,
        command: [join(BIN_DIR, "tsc"), "-p", config, "--noEmit"],
      })),
    { name: "rules have tests", command: [join(ROOT, "scripts", "check-spec.mjs")] },
  ];
}

/**
 * Runs every static check, all at once, and prints a line for each and the output of those that fail.
 * @returns {Promise<boolean>} whether all passed
 */
export async function check() {
  const running = listSteps().map(async ({ name, command }) => ({
    name,
    ...(await runCommand(INSTALLED_NODE, command)),
  }));
  let passed = true;
  for (const step of running) {
    const { name, status, output } = await step;
    if (status !== 0) {
      passed = false;
      process.stdout.write(`${output.trimEnd()}\n`);
    }
    process.stdout.write(`${status === 0 ? "ok    " : "FAILED"} ${name}\n`);
  }
  return passed;
}

async function main() {
  await ensureInstalled();
  return (await check()) ? 0 : 1;
}

if (isEntryPoint(import.meta.url)) await runMain(main);
