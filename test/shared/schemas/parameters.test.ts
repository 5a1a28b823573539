import { test } from "vitest";
import { z } from "zod";
import {
  checkedText,
  clip,
  intText,
  lenientBooleanText,
  lenientIntText,
  parseJavaDouble,
  portText,
  rangedIntText,
  requiredIntText,
  requiredText,
  springBooleanText,
  strictBooleanText,
  weightText,
} from "../../../shared/schemas/parameters.ts";

/** What a schema makes of a text: the value, or the text of the refusal with its name. */
function read(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name: unknown = issue?.code === "custom" ? issue.params?.["name"] : undefined;
  return { message: issue?.message, name };
}

function refused(message: string, name = "parameterInvalid"): unknown {
  return { message, name };
}

test.for(["true", "TRUE", "tRuE", "t", "T", "yes", "Yes", "y", "Y", "on", "ON"])(
  "W7: '%s' is true",
  (text, { expect }) => {
    expect(read(lenientBooleanText, text)).toBe(true);
  },
);

test.for([
  "false",
  "f",
  "no",
  "off",
  "1",
  "0",
  "",
  "tru",
  "truee",
  " true",
  "是",
  "__proto__",
  "constructor",
])("W7: '%s' is false", (text, { expect }) => {
  expect(read(lenientBooleanText, text)).toBe(false);
});

test.for([
  ["true", true],
  ["TRUE", true],
  ["t", false],
  ["yes", false],
  ["1", false],
  ["false", false],
  ["", false],
] as const)("W7: where only true counts, '%s' is %s", ([text, value], { expect }) => {
  expect(read(strictBooleanText, text)).toBe(value);
});

test.for([
  ["true", true],
  ["On", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["OFF", false],
  ["no", false],
  ["0", false],
] as const)("S9: '%s' is %s where Spring read it", ([text, value], { expect }) => {
  expect(read(springBooleanText("hasIpCount"), text)).toBe(value);
});

test.for(["t", "2", "", "maybe", "__proto__"])(
  "S9, W10: '%s' is no boolean of Spring",
  (text, { expect }) => {
    const message = `Parameter 'hasIpCount' is illegal, it should be true or false. (current: ${text})`;
    expect(read(springBooleanText("hasIpCount"), text)).toEqual(refused(message));
  },
);

test.for([
  ["0", 0],
  ["1", 1],
  ["80", 80],
  ["0080", 80],
  ["+80", 80],
  ["65535", 65_535],
] as const)("N8: the port '%s'", ([text, port], { expect }) => {
  expect(read(portText("missing"), text)).toBe(port);
});

test.for([
  "-1",
  "65536",
  "80.0",
  "8e1",
  "0x50",
  "",
  " ",
  "80 ",
  "٨٠",
  "NaN",
  "Infinity",
  "9".repeat(19),
  "port",
])("N8: '%s' is no port", (text, { expect }) => {
  const message = `Param 'port' is illegal, the value should be between 0 and 65535. (current: ${text})`;
  expect(read(portText("missing"), text)).toEqual(refused(message));
});

test.for([
  ["0", 0],
  ["0.005", 0.005],
  ["0.1", 0.1],
  ["1", 1],
  ["1.50", 1.5],
  [".5", 0.5],
  ["3.", 3],
  ["+2", 2],
  ["1e-300", 1e-300],
  ["1E4", 10_000],
  ["1d", 1],
  ["2.5F", 2.5],
  ["10000", 10_000],
  ["0.30000000000000004", 0.300_000_000_000_000_04],
] as const)("N9: the weight '%s' is kept exactly", ([text, weight], { expect }) => {
  expect(read(weightText, text)).toBe(weight);
});

test.for(["-0.1", "-1e-300", "10000.1", "1e5", "1e400", "NaN", "-NaN", "Infinity", "-Infinity"])(
  "N9: the weight '%s' is out of range",
  (text, { expect }) => {
    const message = "instance format invalid: The weights range from 0.0 to 10000.0";
    expect(read(weightText, text)).toEqual(refused(message, "weightInvalid"));
  },
);

test.for(["", "abc", "1,5", "0x10", "1_0", "--1", "1e", ".", "1dd", "nan", "infinity", "1 0", "١"])(
  "N9: '%s' is no weight",
  (text, { expect }) => {
    expect(read(weightText, text)).toEqual(refused(`For input string: "${text}"`));
  },
);

test("N9: a number has at most 400 characters, and longer texts are refused without delay", ({ expect }) => {
  expect(parseJavaDouble("9".repeat(400))).toBe(Number.POSITIVE_INFINITY);
  expect(parseJavaDouble(`.${"0".repeat(399)}`)).toBe(0);
  for (const text of ["9".repeat(401), "9".repeat(1_000_000), `${"9".repeat(1_000_000)}x`]) {
    expect(parseJavaDouble(text)).toBeNull();
  }
});

test.for([
  ["1", 1],
  ["-1", -1],
  ["+7", 7],
  ["2147483647", 2_147_483_647],
] as const)("W10: the whole number '%s'", ([text, value], { expect }) => {
  expect(read(intText, text)).toBe(value);
  expect(read(requiredIntText("pageNo", "missing"), text)).toBe(value);
});

test.for(["2147483648", "1.0", "", "abc", "1e1", "99999999999"])(
  "W10: '%s' is no whole number of 32 bits",
  (text, { expect }) => {
    expect(read(intText, text)).toEqual(refused(`For input string: "${text}"`));
    expect(read(requiredIntText("pageNo", "missing"), text)).toEqual(
      refused(`Parameter 'pageNo' is illegal, it should be a whole number. (current: ${text})`),
    );
  },
);

test.for([
  ["3", 3],
  ["-3", -3],
  ["abc", 0],
  ["1.5", 0],
  ["99999999999", 0],
] as const)("S7: '%s' is read as %i where garbage is 0", ([text, value], { expect }) => {
  expect(read(lenientIntText("missing"), text)).toBe(value);
});

test.for([
  ["1", 1],
  ["100", 100],
  ["0100", 100],
] as const)("E3: '%s' is in the range", ([text, value], { expect }) => {
  expect(read(rangedIntText("limit", 1, 100), text)).toBe(value);
});

test.for(["0", "101", "-1", "+5", "1.0", "abc", "", "9".repeat(17)])(
  "E3: '%s' is out of the range",
  (text, { expect }) => {
    const message = `Param 'limit' is illegal, it should be a whole number from 1 to 100. (current: ${text})`;
    expect(read(rangedIntText("limit", 1, 100), text)).toEqual(refused(message));
  },
);

test("W10: what is missing is told in the family's words", ({ expect }) => {
  const schemas = [
    requiredText("no ip"),
    portText("no ip"),
    requiredIntText("pageNo", "no ip"),
    lenientIntText("no ip"),
  ];
  for (const schema of schemas)
    expect(read(schema, undefined)).toEqual({ message: "no ip", name: undefined });
});

test("W10: a check's refusal is passed on with its name", ({ expect }) => {
  const schema = checkedText(z.string(), (value) => (value === "bad" ? "not bad" : null), "weightInvalid");
  expect(read(schema, "bad")).toEqual(refused("not bad", "weightInvalid"));
  expect(read(schema, "good")).toBe("good");
});

test("W10: no refusal repeats more than 200 characters of what was sent", ({ expect }) => {
  expect(clip("x".repeat(200))).toBe("x".repeat(200));
  expect(clip("x".repeat(201))).toBe(`${"x".repeat(200)}…`);
  const huge = "x".repeat(1_000_000);
  for (const schema of [
    weightText,
    intText,
    portText(""),
    springBooleanText("a"),
    rangedIntText("a", 0, 1),
  ]) {
    expect(JSON.stringify(read(schema, huge)).length).toBeLessThan(400);
  }
});

test("W7, N8, N9: values are written as texts that read the same", ({ expect }) => {
  for (const value of [0, 0.005, 10_000]) expect(weightText.decode(weightText.encode(value))).toBe(value);
  for (const value of [true, false]) {
    for (const schema of [lenientBooleanText, strictBooleanText, springBooleanText("a")]) {
      expect(schema.decode(schema.encode(value))).toBe(value);
    }
  }
  for (const schema of [portText(""), intText, rangedIntText("a", 0, 100), lenientIntText("")]) {
    expect(schema.decode(schema.encode(80))).toBe(80);
  }
});
