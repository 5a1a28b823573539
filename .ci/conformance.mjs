// Runs the conformance cases against a server; see waiting.mjs for cases that are known to fail.
//
//   node .ci/conformance.mjs FOLDER BASE [arguments of run.mjs]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tally } from "./waiting.mjs";

const [folder, base, ...rest] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "nacre-conformance-"));
const record = join(work, "record.json");
const files = ["v1-instance", "v1-service", "lifecycle", "known-faults"];
const cases = files.flatMap((name) => ["--cases", join(folder, "cases", `${name}.json`)]);
const args = [join(folder, "run.mjs"), "--base", base, "--quiet", "--record", record, ...cases, ...rest];
const run = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 });

const tally = new Tally();
try {
  for (const { file, name, failed } of JSON.parse(readFileSync(record, "utf8")))
    tally.add(`${file} · ${name}`, failed);
} catch (error) {
  tally.fail(
    "the conformance cases",
    `did not run to their end: ${error.message}\n${run.stdout}${run.stderr}`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = tally.close();
