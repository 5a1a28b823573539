import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "../scripts/build.mjs";
import { ReportedError, ROOT, runMain } from "../scripts/project.mjs";
import { measure } from "./measure.mjs";
import { renderReport } from "./report.mjs";
import { QUICK, WHOLE } from "./size.mjs";

const REPORT = join("docs", "benchmarks.md");
const USAGE = `Usage: npm run bench -- [--quick]

Measures Nacre on this machine and writes ${REPORT}, in about five minutes.

  --quick  short rounds, which only show that everything works; writes nothing
`;

/**
 * Measures, prints the report and writes it.
 * @param {string[]} args
 * @returns {Promise<void>}
 */
async function main(args) {
  if (args.includes("--help")) return void process.stdout.write(USAGE);
  const unknown = args.find((arg) => arg !== "--quick");
  if (unknown !== undefined)
    throw new ReportedError(`Unknown option ${unknown}: allowed are --quick and --help.`);
  const isQuick = args.includes("--quick");

  await build();
  const results = await measure(isQuick ? QUICK : WHOLE, (what) => process.stderr.write(`${what} ...\n`));
  const report = renderReport(results);
  process.stdout.write(`\n${report}`);
  if (isQuick) return;
  writeFileSync(join(ROOT, REPORT), report);
  process.stderr.write(`\nwritten to ${REPORT}\n`);
}

// The servers that are running end with this process, and their folders are removed.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

await runMain(() => main(process.argv.slice(2)));
