import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * @param {number} pid
 * @returns {number} resident memory in bytes
 */
export function residentMemory(pid) {
  const kilobytes =
    process.platform === "linux"
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kilobytes) * 1_024;
}

/**
 * What a server takes at one moment.
 * @typedef {object} MemoryReading
 * @property {string} name
 * @property {number} workerd bytes
 * @property {number} parent bytes of the Node process that started it
 */

/**
 * @param {string} name of the moment
 * @param {import("../test/support/server-harness.mjs").TestServer} server
 * @returns {MemoryReading}
 */
export function readMemory(name, server) {
  return {
    name,
    workerd: residentMemory(server.workerdPid),
    parent: residentMemory(server.process.pid),
  };
}
