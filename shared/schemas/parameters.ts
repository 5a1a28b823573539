import { z } from "zod";
import { fail, succeed, type ErrorName, type Result } from "../errors.ts";
import { MAX_WEIGHT } from "../naming/instance.ts";

/**
 * Building blocks for the parameters of the Nacos API, which all travel as text. The reader that hands them over has
 * already trimmed them and turned blank ones into `undefined`. Each refusal carries the text that Nacos sends.
 */

type Issues = { issues: unknown[]; value?: unknown };

/** Puts a refusal with its name in the closed list of errors among the issues of a schema. */
export function refuse(
  context: Issues,
  input: unknown,
  message: string,
  name: ErrorName = "parameterInvalid",
): void {
  context.issues.push({ code: "custom", input, message, params: { name } });
}

/**
 * A text that a parser reads; what it refuses is refused with its text and name.
 * @param schema says whether the text must be there
 * @param output the schema of what the parser gives
 * @param print the text that would be read as a value
 */
export function parsedText<O extends z.ZodType>(
  schema: z.ZodString,
  output: O,
  parse: (text: string) => Result<z.input<O>>,
  print: (value: z.input<O>) => string = String,
): z.ZodCodec<z.ZodString, O> {
  return z.codec(schema, output, {
    decode: (text, context) => {
      const parsed = parse(text);
      if (parsed.ok) return parsed.value;
      refuse(context, text, parsed.error.message, parsed.error.name);
      return z.NEVER;
    },
    encode: print,
  });
}

/** A text that must be there. `wording` is how the family says so. */
export function requiredText(message: string): z.ZodString {
  return z.string({ error: () => message });
}

/** A text that a check of `shared/naming` may refuse; the check returns its text or `null`. */
export function checkedText<T extends z.ZodType<string>>(
  schema: T,
  check: (value: string) => string | null,
  name: ErrorName = "parameterInvalid",
): T {
  return schema.check((context) => {
    const refused = check(context.value);
    if (refused !== null) refuse(context, context.value, refused, name);
  });
}

const PORT = /^\+?\d{1,18}$/;
const MAX_PORT = 65_535;

/**
 * A port, 0 to 65535; 0 is legal. Nacos 2.x calls every port `port` in its refusal; `label` says which one was meant.
 */
export function portText(message: string, label = "current"): z.ZodCodec<z.ZodString, z.ZodNumber> {
  return parsedText(requiredText(message), z.number(), (text) => {
    const port = PORT.test(text) ? Number(text) : Number.NaN;
    if (port >= 0 && port <= MAX_PORT) return succeed(port);
    return fail(
      "parameterInvalid",
      `Param 'port' is illegal, the value should be between 0 and ${MAX_PORT}. (${label}: ${clip(text)})`,
    );
  });
}

const SPRING_TRUE = new Set(["true", "on", "yes", "1"]);
const SPRING_FALSE = new Set(["false", "off", "no", "0"]);

/** A boolean as Spring binds it (Nacos: hasIpCount, withInstances); any other word is refused by the parameter's name. */
export function springBooleanText(name: string): z.ZodCodec<z.ZodString, z.ZodBoolean> {
  return parsedText(z.string(), z.boolean(), (text) => {
    const word = text.toLowerCase();
    if (SPRING_TRUE.has(word)) return succeed(true);
    if (SPRING_FALSE.has(word)) return succeed(false);
    return fail(
      "parameterInvalid",
      `Parameter '${name}' is illegal, it should be true or false. (current: ${clip(text)})`,
    );
  });
}

const INTEGER = /^[+-]?\d{1,10}$/;
const MAX_INT = 2 ** 31 - 1;

/** A 32-bit whole number, or a refusal in the words of `refusal`. */
function parseInt32(text: string, refusal: string): Result<number> {
  const value = INTEGER.test(text) ? Number(text) : Number.NaN;
  return Math.abs(value) <= MAX_INT ? succeed(value) : fail("parameterInvalid", refusal);
}

/** A whole number that must be there; garbage is refused by the parameter's name. */
export function requiredIntText(name: string, message: string): z.ZodCodec<z.ZodString, z.ZodNumber> {
  return parsedText(requiredText(message), z.number(), (text) =>
    parseInt32(text, `Parameter '${name}' is illegal, it should be a whole number. (current: ${clip(text)})`),
  );
}

/** A 32-bit whole number; anything else is refused in Java's words, as Nacos does. */
export const intText = parsedText(z.string(), z.number(), (text) => parseInt32(text, notANumber(text)));

/** A whole number, read leniently: garbage is 0 (Nacos: `pageNo`, `pageSize` of service lists). */
export function lenientIntText(message: string): z.ZodCodec<z.ZodString, z.ZodNumber> {
  return z.codec(requiredText(message), z.number(), {
    decode: (text) => (INTEGER.test(text) ? Number(text) : 0),
    encode: String,
  });
}

/** A whole number of ours, in a range; the refusal names the parameter and the range. */
export function rangedIntText(name: string, min: number, max: number): z.ZodCodec<z.ZodString, z.ZodNumber> {
  return parsedText(z.string(), z.number(), (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return succeed(value);
    return fail(
      "parameterInvalid",
      `Param '${name}' is illegal, it should be a whole number from ${min} to ${max}. (current: ${clip(text)})`,
    );
  });
}

const LENIENT_TRUE = new Set(["true", "t", "yes", "y", "on"]);

/** True for true, t, yes, y and on in any case, false for all else, `1` too (Nacos: enabled, healthy, ephemeral). */
export function lenientText(schema: z.ZodString): z.ZodCodec<z.ZodString, z.ZodBoolean> {
  return z.codec(schema, z.boolean(), {
    decode: (text) => LENIENT_TRUE.has(text.toLowerCase()),
    encode: String,
  });
}

export const lenientBooleanText = lenientText(z.string());

/** True for `true` in any case only (Nacos: healthyOnly). */
export const strictBooleanText = z.codec(z.string(), z.boolean(), {
  decode: (text) => text.toLowerCase() === "true",
  encode: String,
});

/** More digits than any double needs; longer texts are refused unread, since the pattern goes back over them. */
const MAX_DOUBLE_LENGTH = 400;
const JAVA_DOUBLE = /^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?)$/;

/** A number as Java reads a double (`.5`, `3.`, `1e2`, `1d`); `null` for what is none, NaN and the infinities as they are. */
export function parseJavaDouble(text: string): number | null {
  return text.length <= MAX_DOUBLE_LENGTH && JAVA_DOUBLE.test(text)
    ? Number(text.replace(/[dDfF]$/, ""))
    : null;
}

/** Nacos's text for a weight out of range, NaN and the infinities included. */
export const WEIGHT_RANGE_TEXT = "instance format invalid: The weights range from 0.0 to 10000.0";

/** A weight, 0 to 10000, kept exactly as sent. */
export const weightText = parsedText(z.string(), z.number(), (text) => {
  const weight = parseJavaDouble(text);
  if (weight === null) return fail("parameterInvalid", notANumber(text));
  return weight >= 0 && weight <= MAX_WEIGHT ? succeed(weight) : fail("weightInvalid", WEIGHT_RANGE_TEXT);
});

/** How Java refuses what is no number. */
function notANumber(text: string): string {
  return `For input string: "${clip(text)}"`;
}

const CLIP_LENGTH = 200;

/** An answer repeats the value that was sent, but not a megabyte of it. */
export function clip(text: string): string {
  return text.length <= CLIP_LENGTH ? text : `${text.slice(0, CLIP_LENGTH)}…`;
}
