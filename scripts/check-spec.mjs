import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isEntryPoint, ROOT, runMain } from "./project.mjs";

const SPEC_FILE = join(ROOT, "shared", "SPEC.md");
const TEST_DIR = join(ROOT, "test");

const ID = String.raw`[A-Z]{1,2}\d{1,3}`;
/** A rule in SPEC.md: its id in bold at the start of a line, a list entry or a table cell. */
const RULE = new RegExp(String.raw`(?:^|\|)[ \t]*(?:(?:[-*]|\d+\.)[ \t]+)?\*\*(${ID})\*\*`, "gm");
/**
 * The name of a test or of a row in a table of tests: a text after an opening bracket, a comma, a colon or at a line's
 * start, that begins with one id or more ("L3 L4: ..."). The name of a `describe` proves nothing.
 */
const TEST_NAME = new RegExp(
  String.raw`(?<=(?<!describe)[(\[{,:]\s*|^\s*)["'\x60](${ID}(?:[ ,]+${ID})*)[: ]+[^"'\x60\s]`,
  "gm",
);

/**
 * Compares the rules of shared/SPEC.md with the tests that prove them.
 * @param {string} spec the text of SPEC.md
 * @param {{ path: string, text: string }[]} tests
 * @returns {string[]} one line for each rule without a test, rule numbered twice, and id that is no rule
 */
export function compareSpec(spec, tests) {
  const problems = [];
  /** @type {Set<string>} */
  const rules = new Set();
  for (const id of findIds(spec, RULE)) {
    if (rules.has(id)) problems.push(`shared/SPEC.md has two rules numbered ${id}.`);
    rules.add(id);
  }
  if (rules.size === 0)
    problems.push("shared/SPEC.md has no numbered rule (a rule's line begins with **L3**).");

  /** @type {Set<string>} */
  const proven = new Set();
  for (const { path, text } of tests) {
    for (const id of new Set(findIds(text, TEST_NAME))) {
      proven.add(id);
      if (!rules.has(id)) problems.push(`${path} names rule ${id}, which shared/SPEC.md does not have.`);
    }
  }
  for (const id of rules) {
    if (!proven.has(id))
      problems.push(`Rule ${id} of shared/SPEC.md has no test whose name begins with ${id}.`);
  }
  return problems;
}

/**
 * @param {string} text
 * @param {RegExp} pattern whose first group holds the ids
 * @returns {string[]}
 */
function findIds(text, pattern) {
  return [...text.matchAll(pattern)].flatMap((match) => match[1]?.split(/[ ,]+/) ?? []);
}

async function main() {
  const tests = readdirSync(TEST_DIR, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .toSorted()
    .map((name) => ({ path: join("test", name), text: readFileSync(join(TEST_DIR, name), "utf8") }));
  const problems = compareSpec(readFileSync(SPEC_FILE, "utf8"), tests);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

if (isEntryPoint(import.meta.url)) await runMain(main);
