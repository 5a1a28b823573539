/** JSON that others wrote: what a parameter holds, before anything is known of it. */

/** Changes a value while it is parsed; `source` is its text, for numbers and other plain values. */
export type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Parses a text; `undefined` for what is no JSON, which no JSON is. */
export function parseJson(text: string, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined; // The caller says what was expected.
  }
}

/** Whether a parsed value is an object, and neither an array nor `null`. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a text that must hold an object; `null` for anything else. */
export function parseJsonObject(text: string, reviver?: Reviver): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text, reviver);
  return isJsonObject(value) ? value : null;
}
