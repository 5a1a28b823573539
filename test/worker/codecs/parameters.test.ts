import { Hono } from "hono";
import { test } from "vitest";
import { NacosError } from "../../../shared/errors.ts";
import { MAX_BODY_BYTES, readParameters } from "../../../worker/codecs/parameters.ts";
import type { AppEnv } from "../../../worker/env.ts";

/** Answers with what was read of the parameters `v` and `w`, or with the refusal. */
const reader = new Hono<AppEnv>().all("*", async (c) => {
  try {
    const parameters = await readParameters(c);
    return c.json({ v: parameters.get("v") ?? null, w: parameters.get("w") ?? null });
  } catch (error) {
    if (!(error instanceof NacosError)) throw error;
    return c.json(error.failure);
  }
});

interface Sent {
  readonly query?: string;
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const NOT_UTF8 = { name: "parameterInvalid", message: "Param 'v' is illegal, its bytes are not UTF-8." };

async function read({ query = "", method = "POST", body, headers = {} }: Sent): Promise<unknown> {
  const url = `http://nacre/${query === "" ? "" : `?${query}`}`;
  const response = await reader.request(url, { method, headers, ...(body === undefined ? {} : { body }) });
  return response.json();
}

function bytes(...parts: (string | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const all = parts.flatMap((part) => (typeof part === "string" ? [...encoder.encode(part)] : part));
  return Uint8Array.from(all);
}

test.for([
  { name: "the query", sent: { query: "v=1" }, v: "1" },
  { name: "the query of GET", sent: { query: "v=1", method: "GET" }, v: "1" },
  { name: "a form", sent: { body: "v=1", headers: FORM }, v: "1" },
  { name: "a form of PUT", sent: { method: "PUT", body: "v=1", headers: FORM }, v: "1" },
  { name: "a form of PATCH", sent: { method: "PATCH", body: "v=1", headers: FORM }, v: "1" },
  { name: "a form of DELETE", sent: { method: "DELETE", body: "v=1", headers: FORM }, v: "1" },
  { name: "both: the query wins", sent: { query: "v=q", body: "v=f", headers: FORM }, v: "q" },
  { name: "twice in the query: the first", sent: { query: "v=1&v=2" }, v: "1" },
  { name: "twice in the form: the first", sent: { body: "v=1&v=2", headers: FORM }, v: "1" },
  {
    name: "all twice, as Java clients 1.0 send it",
    sent: { query: "v=1&w=2", body: "v=1&w=2", headers: FORM },
    v: "1",
    w: "2",
  },
  { name: "one in each", sent: { query: "v=1", body: "w=2", headers: FORM }, v: "1", w: "2" },
  { name: "empty parts", sent: { query: "&&v=1&&=x&" }, v: "1" },
  { name: "an encoded name", sent: { query: "%76=1" }, v: "1" },
])("W1: $name", async ({ sent, v, w = null }, { expect }) => {
  expect(await read(sent)).toEqual({ v, w });
});

test.for([
  { name: "blanks around", query: "v=%20%09a%20b+%0A", v: "a b" },
  { name: "an empty value", query: "v=", v: null },
  { name: "blanks only", query: "v=+%20%09", v: null },
  { name: "a name without value", query: "v", v: null },
  { name: "the word null", query: "v=null", v: "null" },
])("W2: $name", async ({ query, v }, { expect }) => {
  expect(await read({ query })).toEqual({ v, w: null });
  expect(await read({ body: query, headers: FORM })).toEqual({ v, w: null });
});

test.for([
  { name: "a lone %", raw: "v=100%", v: "100%" },
  { name: "a lone % and a plus", raw: "v=100%+x", v: "100% x" },
  { name: "a % before no escape", raw: "v=%zz%41", v: "%zzA" },
  { name: "a % and half an escape", raw: "v=%4", v: "%4" },
  { name: "a lone % beside an ampersand's escape", raw: "v=%26%", v: "&%" },
  { name: "an encoded %", raw: "v=50%25", v: "50%" },
  { name: "a plus", raw: "v=a+b", v: "a b" },
  { name: "an encoded plus", raw: "v=a%2Bb", v: "a+b" },
  { name: "equals signs", raw: "v=a=b=c", v: "a=b=c" },
  { name: "a semicolon", raw: "v=a;w=b", v: "a;w=b" },
  { name: "JSON as it stands", raw: 'v={"a":"1+1=2 %41 100%"}', v: '{"a":"1+1=2 %41 100%"}' },
  { name: "encoded JSON", raw: "v=%7B%22a%22%3A%221%2B1%22%7D", v: '{"a":"1+1"}' },
  { name: "JSON with encoded quotation marks", raw: "v={%22a%22:%22b+c%22}", v: '{"a":"b c"}' },
  { name: "three bytes", raw: "v=%E4%B8%AD", v: "中" },
  { name: "four bytes", raw: "v=%F0%9F%98%80", v: "😀" },
  { name: "the replacement character itself, encoded", raw: "v=a%EF%BF%BD", v: "a\uFFFD" },
  { name: "the same in lower case, with a lone %", raw: "v=%ef%bf%bd%", v: "\uFFFD%" },
])("W3: $name is taken as it is meant", async ({ raw, v }, { expect }) => {
  expect(await read({ body: raw, headers: FORM })).toEqual({ v, w: null });
});

test.for([
  { name: "a byte that begins nothing", raw: "v=%ff" },
  { name: "a cut character", raw: "v=a%E4%B8" },
  { name: "an overlong form", raw: "v=%C0%80" },
  { name: "half a surrogate pair", raw: "v=%ED%A0%80" },
  { name: "a bad byte beside a lone %", raw: "v=%ff%" },
  { name: "a bad byte beside a replacement character", raw: "v=%EF%BF%BD%ff" },
])("W3: $name is refused by the parameter's name, in query and form", async ({ raw }, { expect }) => {
  expect(await read({ query: raw })).toEqual(NOT_UTF8);
  expect(await read({ body: raw, headers: FORM })).toEqual(NOT_UTF8);
});

test("W3: raw bytes that are not UTF-8 are refused by the parameter's name", async ({ expect }) => {
  const body = bytes("w=1&v=a", [0xff, 0xfe], "&x=2");
  expect(await read({ body, headers: FORM })).toEqual(NOT_UTF8);
  const json = bytes('v={"a":"', [0xff], '"}');
  expect(await read({ body: json, headers: FORM })).toEqual(NOT_UTF8);
});

test("W3: raw UTF-8 is read as it stands", async ({ expect }) => {
  expect(await read({ body: bytes("v=中文 😀&w=é"), headers: FORM })).toEqual({ v: "中文 😀", w: "é" });
});

test("W3: a parameter that nobody reads may hold any bytes", async ({ expect }) => {
  expect(await read({ query: "x=%ff&%ff=1&v=1" })).toEqual({ v: "1", w: null });
});

test("W3: of a name sent twice only the first must be UTF-8", async ({ expect }) => {
  expect(await read({ query: "v=1&v=%ff" })).toEqual({ v: "1", w: null });
  expect(await read({ query: "v=%ff&v=1" })).toEqual(NOT_UTF8);
});

function stream(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

test.for([
  { name: "a JSON body", body: '{"v":"1"}', headers: { "content-type": "application/json" }, v: null },
  {
    name: "JSON that looks like a form",
    body: "v=1",
    headers: { "content-type": "application/json" },
    v: null,
  },
  { name: "a text body", body: "v=1", headers: { "content-type": "text/plain" }, v: null },
  {
    name: "a multipart body",
    body: '--x\r\nContent-Disposition: form-data; name="v"\r\n\r\n1\r\n--x--',
    headers: { "content-type": "multipart/form-data; boundary=x" },
    v: null,
  },
  {
    name: "a form with a charset",
    body: "v=1",
    headers: { "content-type": `${FORM["content-type"]}; charset=UTF-8` },
    v: "1",
  },
  {
    name: "a form in capitals",
    body: "v=1",
    headers: { "content-type": "Application/X-WWW-Form-URLEncoded" },
    v: "1",
  },
  { name: "a form without content type", body: bytes("v=1"), headers: {}, v: "1" },
  {
    name: "a form without length",
    body: stream([bytes("v="), bytes("1&w"), bytes("=")]),
    headers: FORM,
    v: "1",
  },
  { name: "an empty form", body: "", headers: FORM, v: null },
  { name: "no body", headers: FORM, v: null },
])("W4: $name", async ({ name: _name, v, ...sent }, { expect }) => {
  expect(await read(sent)).toEqual({ v, w: null });
});

const TOO_LARGE = {
  name: "payloadTooLarge",
  message: `The body is too large, at most ${MAX_BODY_BYTES} bytes are read.`,
};

/** A form of so many bytes. */
function form(length: number): Uint8Array<ArrayBuffer> {
  return bytes(`v=1&x=${"x".repeat(length - 6)}`);
}

function chunked(body: Uint8Array): ReadableStream<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += 65_536) chunks.push(body.subarray(at, at + 65_536));
  return stream(chunks);
}

test.for([
  { name: "with its length", make: form },
  { name: "chunked", make: (length: number) => chunked(form(length)) },
])("W11: a form $name may have a mebibyte and not a byte more", async ({ make }, { expect }) => {
  expect(await read({ body: make(MAX_BODY_BYTES), headers: FORM })).toEqual({ v: "1", w: null });
  expect(await read({ body: make(MAX_BODY_BYTES + 1), headers: FORM })).toEqual(TOO_LARGE);
  expect(await read({ body: make(4 * MAX_BODY_BYTES), headers: FORM })).toEqual(TOO_LARGE);
});
