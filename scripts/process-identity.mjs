import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * A process, told apart from a later one with the same number (in a container the numbers are the same at every start).
 * @typedef {object} ProcessIdentity
 * @property {number} pid
 * @property {string} started when it started, in a form that is only compared
 */

/**
 * @param {number} pid
 * @returns {ProcessIdentity | undefined} undefined when there is no such process, or only its remains that nobody has
 *   waited for (a zombie)
 */
export function identifyProcess(pid) {
  const started = process.platform === "linux" ? readProc(pid) : askPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/**
 * @param {ProcessIdentity} identity
 * @returns {boolean}
 */
export function isRunning({ pid, started }) {
  return identifyProcess(pid)?.started === started;
}

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function readProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command's name comes second, in brackets, and may hold spaces and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    // Field 22 of proc(5), in ticks since the machine started, so the machine's start belongs to it.
    const startTicks = fields[19];
    if (state === "Z" || state === "X") return undefined;
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${startTicks}`;
  } catch {
    // No such process, or one that ended while it was read.
    return undefined;
  }
}

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function askPs(pid) {
  try {
    const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
    const args = ["-o", "state=,lstart=", "-p", String(pid)];
    const line = execFileSync("ps", args, {
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    const [state = "Z", ...started] = line.split(/\s+/);
    return state.startsWith("Z") ? undefined : started.join(" ");
  } catch {
    // ps ends with 1 when there is no such process.
    return undefined;
  }
}
