import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's top folder, absolute, without a slash at the end. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");

/** Folder of the installed packages' commands. */
export const BIN_DIR = join(ROOT, "node_modules", ".bin");

/** The Node that the packages bring along: wrangler and vitest refuse Node 20, which the machine may have. */
export const INSTALLED_NODE = join(BIN_DIR, "node");

/** A failure that the person at the terminal can act on: its message is printed as it is, without a stack. */
export class ReportedError extends Error {
  /** @override */
  name = "ReportedError";
}

/**
 * Whether the module with this `import.meta.url` was started as a program, and not imported.
 * @param {string} moduleUrl
 * @returns {boolean}
 */
export function isEntryPoint(moduleUrl) {
  const started = process.argv[1];
  // argv keeps symbolic links as typed, a module's URL does not.
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}

/**
 * @param {unknown} error
 * @param {string} code of the system, as "ENOENT"
 * @returns {boolean}
 */
export function hasCode(error, code) {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Runs a program's main function and turns its outcome into the exit status: the number it returns, or 1 when it throws.
 * @param {() => Promise<number | void>} main
 * @returns {Promise<void>}
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * The text to print for a failure. Only a bug, which nobody foresaw, is told with its stack.
 * @param {unknown} error
 * @returns {string}
 */
export function describeFailure(error) {
  if (error instanceof ReportedError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
