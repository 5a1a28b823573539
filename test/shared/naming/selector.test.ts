import { test } from "vitest";
import { fail, succeed } from "../../../shared/errors.ts";
import { parseSelector } from "../../../shared/naming/selector.ts";

const TERM = "CONSUMER.label.A = PROVIDER.label.A";

function label(expression: unknown): string {
  return JSON.stringify({ type: "label", expression });
}

test.for<[name: string, sent: string, expression: string, labels: string[]]>([
  ["one label", label(TERM), TERM, ["A"]],
  [
    "two labels",
    label(`${TERM} & CONSUMER.label.B=PROVIDER.label.B`),
    `${TERM} & CONSUMER.label.B=PROVIDER.label.B`,
    ["A", "B"],
  ],
  ["a label twice", label(`${TERM}&${TERM}`), `${TERM}&${TERM}`, ["A"]],
  [
    "white space anywhere",
    label(" CONSUMER.la bel.A\t=\nPROVIDER.label.A "),
    " CONSUMER.la bel.A\t=\nPROVIDER.label.A ",
    ["A"],
  ],
  ["an empty expression", label(""), "", []],
  ["a blank expression", label(" \n"), " \n", []],
  ["no expression", '{"type":"label"}', "", []],
  ["null for an expression", label(null), "", []],
  [
    "__proto__ for a label",
    label("CONSUMER.label.__proto__=PROVIDER.label.__proto__"),
    "CONSUMER.label.__proto__=PROVIDER.label.__proto__",
    ["__proto__"],
  ],
  [
    "a lone surrogate for a label",
    label("CONSUMER.label.\ud800=PROVIDER.label.\ud800"),
    "CONSUMER.label.\ud800=PROVIDER.label.\ud800",
    ["\ud800"],
  ],
  ["blanks around the object", ` ${label(TERM)} `, TERM, ["A"]],
])("N13: a selector with %s", ([, sent, expression, labels], { expect }) => {
  expect(parseSelector(sent)).toEqual(succeed({ type: "label", expression, labels }));
});

test.for<[name: string, sent: string]>([
  ["none", '{"type":"none"}'],
  ["none with an expression, which is not read", '{"type":"none","expression":"~"}'],
  ["none that was encoded once more", encodeURIComponent('{"type":"none"}')],
  ["the last of a type that is sent twice", '{"type":"label","type":"none"}'],
])("N13: the type %s", ([, sent], { expect }) => {
  expect(parseSelector(sent)).toEqual(succeed({ type: "none" }));
});

test("N13: the text is decoded once more, and stands as it is where that fails", ({ expect }) => {
  const stored = succeed({ type: "label", expression: TERM, labels: ["A"] });
  expect(parseSelector(encodeURIComponent(label(TERM)))).toEqual(stored);
  expect(parseSelector(encodeURIComponent(label(TERM)).replaceAll("%20", "+"))).toEqual(stored);
  expect(parseSelector(label(TERM.replaceAll(" ", "+")))).toEqual(stored);

  for (const name of ["%", "%zz", "100%", "%ff", "%22"]) {
    const expression = `CONSUMER.label.${name}=PROVIDER.label.${name}`;
    expect(parseSelector(label(expression))).toEqual(succeed({ type: "label", expression, labels: [name] }));
  }
});

test.for<[name: string, sent: string]>([
  ["no type", "{}"],
  ["an unknown type", '{"type":"tag"}'],
  ["another case", '{"type":"NONE"}'],
  ["a blank type", '{"type":""}'],
  ["null", '{"type":null}'],
  ["a number", '{"type":1}'],
  ["a list", '{"type":["none"]}'],
  ["a name of every object", '{"type":"constructor"}'],
  ["one that is inherited", '{"__proto__":{"type":"none"}}'],
])("N13: %s for a type is refused in Nacos's words", ([, sent], { expect }) => {
  expect(parseSelector(sent)).toEqual(fail("selectorInvalid", "not match any type of selector!"));
});

test.for<[name: string, expression: unknown]>([
  ["a word", "abc"],
  ["a term without its end", "CONSUMER.label.A="],
  ["a term without its begin", "=PROVIDER.label.A"],
  ["two different labels", "CONSUMER.label.A=PROVIDER.label.B"],
  ["labels that differ in case", "CONSUMER.label.A=PROVIDER.label.a"],
  ["an empty label", "CONSUMER.label.=PROVIDER.label."],
  ["a label with a point", "CONSUMER.label.A.B=PROVIDER.label.A.B"],
  ["two signs of equality", "CONSUMER.label.A==PROVIDER.label.A"],
  ["the sides exchanged", "PROVIDER.label.A=CONSUMER.label.A"],
  ["lower case", "consumer.label.A=provider.label.A"],
  ["an & at the end", `${TERM}&`],
  ["two &", `${TERM}&&${TERM}`],
  ["a bad second term", `${TERM}&x`],
  ["text around", `(${TERM})`],
  ["a number", 1],
  ["false", false],
  ["a list", [TERM]],
  ["an object", {}],
])("N13: %s for an expression is refused in Nacos's words", ([, expression], { expect }) => {
  expect(parseSelector(label(expression))).toEqual(
    fail("selectorInvalid", "Selector parses failed: parse expression failed!"),
  );
});

test.for<[name: string, sent: string]>([
  ["a word", "none"],
  ["a text of JSON", '"none"'],
  ["a number", "1"],
  ["null", "null"],
  ["a list", '[{"type":"none"}]'],
  ["half an object", '{"type":"none"'],
  ["an object and more", '{"type":"none"}x'],
  ["a lone surrogate", "\ud800"],
  ["a control character", "\u0000"],
  ["half an escape", "%7B%"],
  ["an object that was encoded three times", encodeURIComponent(encodeURIComponent('{"type":"none"}'))],
])("N13: %s is refused, as it is no JSON object", ([, sent], { expect }) => {
  expect(parseSelector(sent)).toEqual(
    fail("selectorInvalid", `Param 'selector' is illegal, it should be a JSON object: ${sent}`),
  );
});

function tooLong(length: number): ReturnType<typeof fail> {
  const limit = "the param length should not exceed 4096";
  return fail("selectorInvalid", `Param 'selector' is illegal, ${limit}. (current length: ${length})`);
}

test("N13: a selector of 4096 characters is read, a longer one is refused", ({ expect }) => {
  const atLimit = '{"type":"none"}'.padEnd(4_096);
  expect(parseSelector(atLimit)).toEqual(succeed({ type: "none" }));
  expect(parseSelector(`${atLimit} `)).toEqual(tooLong(4_097));
  expect(parseSelector("%7B".repeat(300_000))).toEqual(tooLong(900_000));
});
