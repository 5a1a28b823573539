import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Waits for a line on its standard input. A line means that all is well; the end of the input without one means that
 * the process at the other end is gone. It outlives signals meant for the parent.
 */
const WATCH = `trap "" INT TERM HUP; read -r _ || kill -9 "$1"`;

/**
 * Sees to it that a child does not outlive this process.
 *
 * A process that is killed with -9 can do nothing any more, and its children live on (only Linux could be told
 * otherwise, and Node does not offer it): an orphan would hold the port and the data. What the system always does is to
 * close the pipes of a process that ends. So a shell of a few hundred kilobytes sits at the other end of one, in a
 * process group of its own, and kills the child when the pipe closes. It works the same on Linux and macOS.
 * @param {number} pid the child
 * @returns {{ dismiss(): Promise<void> }} `dismiss` once the child has ended, before its number can be another's
 */
export function killWithParent(pid) {
  const watcher = spawn("sh", ["-c", WATCH, "nacre-watcher", String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(watcher, "exit").catch(() => {});
  // Someone ended it by hand: nothing to tell it any more.
  watcher.stdin.on("error", () => {});
  watcher.unref();
  return {
    async dismiss() {
      watcher.ref();
      watcher.stdin.end("ended\n");
      await gone;
    },
  };
}
