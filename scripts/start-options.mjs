import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { isLoopback } from "./listen-address.mjs";
import { ReportedError } from "./project.mjs";

/**
 * @typedef {object} StartOptions
 * @property {string} host a loopback address
 * @property {number} port 0 means any free one
 * @property {string} dataDir absolute
 */

export const USAGE = `Usage: npm start -- [options]

Starts Nacre on this machine.

  --host <address>  loopback address to listen on  (default 127.0.0.1, or NACRE_HOST)
  --port <number>   port to listen on, 0 for any   (default 8848, or NACRE_PORT)
  --data <folder>   folder that keeps the data     (default ./data, or NACRE_DATA)
  --help            show this text

An option wins over its environment variable.
`;

const NAMES = /** @type {const} */ (["host", "port", "data"]);
const ALLOWED = "allowed are --host, --port, --data and --help";

/**
 * Reads command line and environment of a start.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {StartOptions | "help"}
 * @throws {ReportedError} naming the option, its value and what is allowed
 */
export function readStartOptions(args, env) {
  const given = readArguments(args);
  if (given === "help") return "help";
  return {
    host: checkHost(given.host ?? fromEnv(env, "NACRE_HOST") ?? { source: "", value: "127.0.0.1" }),
    port: checkPort(given.port ?? fromEnv(env, "NACRE_PORT") ?? { source: "", value: "8848" }),
    dataDir: resolve((given.data ?? fromEnv(env, "NACRE_DATA") ?? { source: "", value: "data" }).value),
  };
}

/**
 * @typedef {{ source: string, value: string }} Setting where it was set, and to what
 * @param {string[]} args
 * @returns {{ host?: Setting, port?: Setting, data?: Setting } | "help"}
 */
function readArguments(args) {
  // Not strict, for its own messages speak of programming with it, and it takes "--port -1" for an ambiguity.
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: {
      host: { type: "string" },
      port: { type: "string" },
      data: { type: "string" },
      help: { type: "boolean" },
    },
  });
  /** @type {{ host?: Setting, port?: Setting, data?: Setting }} */
  const given = {};
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional")
      throw new ReportedError(`Unexpected argument "${token.value}": ${ALLOWED}.`);
    if (token.name === "help") return "help";
    const name = NAMES.find((known) => known === token.name);
    if (!name) throw new ReportedError(`Unknown option ${token.rawName}: ${ALLOWED}.`);
    if (!token.value) throw new ReportedError(`Option --${name} needs a value: ${ALLOWED}.`);
    given[name] = { source: `--${name}`, value: token.value };
  }
  return given;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @returns {Setting | undefined} undefined also for an empty variable, which is how compose files leave one out
 */
function fromEnv(env, name) {
  const value = env[name];
  return value ? { source: name, value } : undefined;
}

/** @param {Setting} setting */
function checkHost({ source, value }) {
  const host = value.replace(/^\[(.*)\]$/, "$1");
  // The name may stand for several addresses, of which workerd would take whichever comes first.
  if (host.toLowerCase() === "localhost") return "127.0.0.1";
  if (isLoopback(host)) return host;
  throw new ReportedError(
    `${source} is "${value}": access control does not exist yet, so only a loopback address may be bound; ` +
      `allowed are 127.0.0.1 (any of 127.0.0.0/8), ::1 and localhost.`,
  );
}

/** @param {Setting} setting */
function checkPort({ source, value }) {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ReportedError(`${source} is "${value}": a port is a number from 0 to 65535 (0: any free one).`);
}
