import { test } from "vitest";
import { Trial, type Case } from "./bad-input-trial.ts";
import type { BadValue } from "./bad-value-kinds.ts";
import { BAD_VALUES } from "./bad-values.ts";
import { GOOD_VALUES, OLD_NAMES, ROUTES } from "./routes-under-test.ts";

const CASES: readonly (Case & { readonly name: string })[] = ROUTES.flatMap((route) =>
  route.parameters.map((parameter) => ({ name: `${route.name}: ${parameter}`, route, parameter })),
);

function badValuesOf({ route, parameter }: Case): readonly BadValue[] | undefined {
  return BAD_VALUES[`${route.name} ${parameter}`] ?? BAD_VALUES[parameter];
}

test("W10: a good value and bad ones are known for every parameter of every route", ({ expect }) => {
  const unknown = CASES.filter(
    (each) => GOOD_VALUES[each.parameter] === undefined || badValuesOf(each) === undefined,
  );
  const text = "Add these to GOOD_VALUES here and to BAD_VALUES in bad-values.ts";
  expect(
    unknown.map(({ name }) => name),
    text,
  ).toEqual([]);
  expect(CASES.length).toBeGreaterThan(100);
});

const NOT_UTF8 = "%FF";

async function tryBadValues(trial: Trial, each: Case): Promise<void> {
  for (const bad of badValuesOf(each) ?? []) {
    if (bad.refusal === undefined) await trial.expectEffect(bad);
    else await trial.expectRefused(bad.name, [bad.refusal], [encodeURIComponent(bad.value)]);
  }
}

async function tryBadBytes(trial: Trial, { route, parameter }: Case): Promise<void> {
  const refusal = [`Param '${parameter}' is illegal, its bytes are not UTF-8.`];
  const good = encodeURIComponent(trial.good(parameter));
  await trial.expectRefused("not UTF-8", refusal, [NOT_UTF8]);
  await trial.expectRefused("not UTF-8 first", refusal, [NOT_UTF8, good]);
  await trial.expectAccepted("a good value first", [good, NOT_UTF8]);
  if (route.method === "GET") return;
  await trial.expectRefused("not UTF-8 in the query", refusal, [good], [NOT_UTF8]);
  await trial.expectAccepted("a good value in the query", [NOT_UTF8], [good]);
}

async function tryMissing(trial: Trial, { route, parameter }: Case): Promise<void> {
  const word = OLD_NAMES[parameter] ?? parameter;
  // What Nacos's controllers read by hand is required, what its framework binds is missing.
  const refusal = [`Param '${word}' is required.`, `Parameter '${word}' is missing`];
  for (const [name, values] of [
    ["missing", []],
    ["blank", ["+%09%20"]],
  ] as const) {
    if (route.required.has(word)) await trial.expectRefused(name, refusal, values);
    else await trial.expectAccepted(name, values);
  }
}

test.for(CASES)("W1, W2, W3, W10: $name", { timeout: 20_000 }, async (each, { expect }) => {
  const trial = new Trial(each, expect);
  await tryBadValues(trial, each);
  await tryBadBytes(trial, each);
  await tryMissing(trial, each);
  const { before, after } = await trial.compare();
  expect(after).toEqual(before);
});
