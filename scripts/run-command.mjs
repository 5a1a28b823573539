import { spawn } from "node:child_process";

import { ROOT } from "./project.mjs";

/**
 * @typedef {object} CommandResult
 * @property {number} status exit status; 128 when a signal ended the command, 127 when it could not be started
 * @property {string} output what it wrote to stdout and stderr, in the order it came; empty with `show`
 */

/**
 * Runs a command in the repository's top folder and waits for its end. Never throws for a failing command.
 *
 * The command ends with this process (but for kill -9): an interrupted start leaves no bundler behind.
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, show?: boolean }} [options] `show`: let it write to the terminal itself
 * @returns {Promise<CommandResult>}
 */
export function runCommand(file, args, { env = process.env, show = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: ROOT, env, stdio: show ? "inherit" : ["ignore", "pipe", "pipe"] });
    const endWithParent = () => child.kill();
    process.once("exit", endWithParent);

    let output = "";
    /** @param {string} chunk */
    const collect = (chunk) => (output += chunk);
    child.stdout?.setEncoding("utf8").on("data", collect);
    child.stderr?.setEncoding("utf8").on("data", collect);

    /** @param {CommandResult} result */
    const finish = (result) => {
      process.off("exit", endWithParent);
      resolve(result);
    };
    child.once("error", (error) => finish({ status: 127, output: `${output}${error.message}\n` }));
    child.once("close", (code) => finish({ status: code ?? 128, output }));
  });
}
