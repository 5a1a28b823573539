import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { killWithParent } from "../scripts/parent-watcher.mjs";
import { ReportedError } from "../scripts/project.mjs";
import { findBinary } from "../scripts/workerd-process.mjs";

const CONFIG = fileURLToPath(new URL("constant.capnp", import.meta.url));
/** Linux takes no longer text in one environment variable than 128 KB. */
const MAX_BODY_LENGTH = 120_000;

/**
 * @typedef {object} ConstantServer
 * @property {string} url
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a workerd of its own whose worker answers one text and nothing else.
 * @param {string} body
 * @returns {Promise<ConstantServer>}
 */
export async function startConstantServer(body) {
  if (Buffer.byteLength(body) > MAX_BODY_LENGTH)
    throw new ReportedError(`A constant of ${body.length} characters is too long to be handed to workerd.`);
  const child = spawn(findBinary(), ["serve", "--control-fd=3", "--socket-addr=http=127.0.0.1:0", CONFIG], {
    env: { ...process.env, CONSTANT_BODY: body },
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const { pid } = child;
  const control = child.stdio[3];
  if (pid === undefined || !control) throw new ReportedError("workerd could not be run.");
  const watcher = killWithParent(pid);
  const ended = once(child, "exit").then(() => watcher.dismiss());

  const told = await Promise.race([once(control, "data"), ended]);
  if (!told) throw new ReportedError("workerd did not start the constant worker.");
  /** @type {{ port: number }} */
  const { port } = JSON.parse(String(told[0]).split("\n", 1)[0] ?? "");
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
