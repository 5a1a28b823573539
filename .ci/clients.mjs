// Runs the published clients of other languages against a server; see waiting.mjs for checks that are known to fail.
//
//   node .ci/clients.mjs FOLDER BASE [CLIENT…]
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Tally } from "./waiting.mjs";

const [folder, base, ...clients] = process.argv.slice(2);
const child = spawn(join(folder, "run-all.sh"), [base, ...clients], { stdio: ["ignore", "pipe", "inherit"] });
const tally = new Tally();
let client = "";
let closed = 0;
let started = 0;
for await (const line of createInterface({ input: child.stdout })) {
  console.log(line);
  const head = /^== (\S+)$/.exec(line);
  if (head !== null) {
    client = head[1];
    started++;
  }
  const check = /^(ok|FAIL) +\d+ (.*)$/.exec(line);
  if (check !== null) {
    // What stands behind the name of a check is what it measured or missed.
    const name = check[2].replace(/(:| \[| \().*$/, "");
    tally.add(`clients · ${name}`, check[1] === "ok" ? null : `${client}: ${check[2]}`);
  }
  if (/^\d+ passed, \d+ failed/.test(line)) closed++;
}
if (started === 0) tally.fail("published clients", "none was started");
if (closed < started)
  tally.fail("published clients", `${started - closed} of ${started} did not come to their end`);
process.exitCode = tally.close();
