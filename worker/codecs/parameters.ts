import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { refuse } from "../../shared/errors.ts";
import type { AppEnv } from "../env.ts";

/** Most bytes of a form body. Cloudflare itself limits the URL to 16 KB. */
export const MAX_BODY_BYTES = 1_048_576;

const FORM_TYPE = "application/x-www-form-urlencoded";
const REPLACEMENT = "\uFFFD";

/** A value whose bytes are not UTF-8: refused when it is asked for, since its parameter may be one that nobody reads. */
const NOT_UTF8 = Symbol("not UTF-8");

/**
 * The parameters of a request, from query and form body alike (Nacos 2.x; needed by Go 1.x, Python 0.1 and Java clients).
 * The query wins over the form, and of a name sent twice the first counts.
 */
export class Parameters {
  readonly #values: ReadonlyMap<string, string | typeof NOT_UTF8>;

  constructor(values: ReadonlyMap<string, string | typeof NOT_UTF8>) {
    this.#values = values;
  }

  /** A value, trimmed; a blank one counts as absent. Throws `parameterInvalid` when its bytes are not UTF-8. */
  get(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (value === NOT_UTF8)
      return refuse("parameterInvalid", `Param '${name}' is illegal, its bytes are not UTF-8.`);
    const trimmed = value.trim();
    return trimmed === "" ? undefined : trimmed;
  }
}

/** Reads the parameters of a request. Throws `payloadTooLarge` for a body of more than {@link MAX_BODY_BYTES}. */
export async function readParameters(c: Context<AppEnv>): Promise<Parameters> {
  const values = new Map<string, string | typeof NOT_UTF8>();
  const { url } = c.req;
  const at = url.indexOf("?");
  if (at >= 0) collect(values, url.slice(at + 1));
  const body = await readForm(c);
  if (body !== "") collect(values, body);
  return new Parameters(values);
}

/** The text of a form body. JSON and multipart bodies are not read; no content type at all is taken for a form. */
async function readForm(c: Context<AppEnv>): Promise<string> {
  const { raw, method } = c.req;
  if (raw.body === null || method === "GET" || method === "HEAD") return "";
  const type = raw.headers.get("content-type");
  if (type !== null && !type.toLowerCase().startsWith(FORM_TYPE)) return "";
  const length = raw.headers.get("content-length");
  if (length === null || Number(length) > MAX_BODY_BYTES) await limitBody(c);
  try {
    return await c.req.raw.text();
  } catch {
    // The client broke off: nobody reads the answer, and it is no fault of ours that would have to be logged.
    return refuse("parameterInvalid", "The body could not be read to its end.");
  }
}

async function limitBody(c: Context<AppEnv>): Promise<void> {
  let isTooLarge = false;
  const limit = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      isTooLarge = true;
      return new Response(null);
    },
  });
  await limit(c, async () => {});
  if (!isTooLarge) return;
  refuse("payloadTooLarge", `The body is too large, at most ${MAX_BODY_BYTES} bytes are read.`);
}

function collect(values: Map<string, string | typeof NOT_UTF8>, text: string): void {
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const rawName = at < 0 ? pair : pair.slice(0, at);
    const name = isPlain(rawName) ? rawName : decode(rawName);
    if (typeof name !== "string" || values.has(name)) continue;
    values.set(name, at < 0 ? "" : decodeValue(pair.slice(at + 1)));
  }
}

function isPlain(raw: string): boolean {
  return !raw.includes("%") && !raw.includes("+") && !raw.includes(REPLACEMENT);
}

/**
 * Decodes a value. One that begins with a brace and holds a bare quotation mark cannot have been encoded: Go clients send
 * the JSON of a beat raw, and decoding it would turn its `+` and `%41` into something else.
 */
function decodeValue(raw: string): string | typeof NOT_UTF8 {
  if (isPlain(raw)) return raw;
  if (raw.startsWith("{") && raw.includes('"') && !raw.includes(REPLACEMENT)) return raw;
  return decode(raw);
}

/** Decodes leniently: a `%` that begins no escape stands for itself. */
function decode(raw: string): string | typeof NOT_UTF8 {
  if (!raw.includes(REPLACEMENT)) {
    try {
      return decodeURIComponent(raw.replaceAll("+", " "));
    } catch {
      // A lone percent sign, or bytes that are not UTF-8: told apart below.
    }
  }
  const decoded = new URLSearchParams(`v=${raw.replaceAll("&", "%26")}`).get("v") ?? "";
  return count(decoded, REPLACEMENT) > count(raw.toUpperCase(), "%EF%BF%BD") ? NOT_UTF8 : decoded;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
