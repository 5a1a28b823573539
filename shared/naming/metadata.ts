import { fail, succeed, type Result } from "../errors.ts";
import { tooLongText } from "./names.ts";

/**
 * Metadata of instances and services: texts by text. A Map, not an object, so that `__proto__` or `constructor` are
 * plain keys.
 */
export type Metadata = ReadonlyMap<string, string>;

/** Metadata as a request sent them; `null` marks a key that PATCH is to take away. */
export type MetadataEdit = ReadonlyMap<string, string | null>;

export const NO_METADATA: Metadata = new Map();

/** Most characters of keys and values together in one request (Nacos 2.x: 1024, both kinds counted as UTF-16 units). */
export const MAX_METADATA_LENGTH = 1024;
/** Most characters that one instance may gather: what a beat may bring, and what repeated edits may add up to. */
export const MAX_STORED_METADATA_LENGTH = 65_536;

/** Characters of keys and values together, in UTF-16 code units. */
export function metadataLength(metadata: MetadataEdit): number {
  let length = 0;
  for (const [key, value] of metadata) length += key.length + (value?.length ?? 0);
  return length;
}

/** Whether both hold the same texts under the same keys, in whatever order. */
export function sameMetadata(a: Metadata, b: Metadata): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}

/** Leaves out the keys whose value is `null`. */
export function withoutNulls(edit: MetadataEdit): Metadata {
  const kept = new Map<string, string>();
  for (const [key, value] of edit) if (value !== null) kept.set(key, value);
  return kept;
}

/** A plain object for rendering as JSON; own keys only, so `__proto__` is a key like any other. */
export function metadataToObject(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(metadata);
}

/** The metadata of a stored or rendered object. */
export function metadataFromObject(value: Readonly<Record<string, string>>): Metadata {
  return new Map(Object.entries(value));
}

const JSON_VALUE =
  /\s*(?:(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<word>true|false|null))\s*/y;
const JSON_KEY = /\s*("(?:[^"\\]|\\.)*")\s*:/y;

function parseJsonText(quoted: string): string | null {
  try {
    const value: unknown = JSON.parse(quoted);
    // Half a surrogate pair would come back from storage as something else.
    return typeof value === "string" ? value.toWellFormed() : null;
  } catch {
    return null; // An escape that JSON does not know.
  }
}

/**
 * Reads a flat JSON object of texts, numbers, booleans and nulls. `JSON.parse` cannot be used: numbers keep their
 * spelling (`1.50`, 20 digits), and text after the closing brace is ignored (both as in Nacos, observed).
 */
function parseFlatObject(text: string): MetadataEdit | null {
  const edit = new Map<string, string | null>();
  let at = /^\s*\{\s*/.exec(text)?.[0].length ?? -1;
  if (at < 0) return null;
  if (text[at] === "}") return edit;
  for (;;) {
    JSON_KEY.lastIndex = at;
    const key = JSON_KEY.exec(text);
    if (key?.[1] === undefined) return null;
    JSON_VALUE.lastIndex = JSON_KEY.lastIndex;
    const value = JSON_VALUE.exec(text);
    if (value?.groups === undefined) return null;
    const name = parseJsonText(key[1]);
    const { text: quoted, number, word } = value.groups;
    const parsed = quoted === undefined ? (number ?? (word === "null" ? null : word)) : parseJsonText(quoted);
    if (name === null || parsed === undefined || (quoted !== undefined && parsed === null)) return null;
    edit.set(name, parsed);
    at = JSON_VALUE.lastIndex;
    if (text[at] === "}") return edit;
    if (text[at] !== ",") return null;
    at++;
  }
}

function parsePairs(text: string): MetadataEdit | null {
  const edit = new Map<string, string>();
  const parts = text.split(",");
  if (parts.at(-1) === "") parts.pop();
  for (const part of parts) {
    const pieces = part.split("=");
    const [key, value] = pieces;
    if (pieces.length !== 2 || key === undefined || value === undefined || value === "") return null;
    edit.set(key, value);
  }
  return edit;
}

/**
 * Parses the parameter `metadata`: a JSON object, `k=v,k=v`, or the word `null` for nothing (Nacos 2.5.1, observed).
 * Numbers and booleans become their source text. Refuses what is neither with `metadataInvalid`, Nacos's text and the
 * raw value, and more than {@link MAX_METADATA_LENGTH} characters.
 */
export function parseMetadata(text: string): Result<MetadataEdit> {
  if (text.trim() === "" || text.trim() === "null") return succeed(new Map());
  if (text.length > MAX_STORED_METADATA_LENGTH) return tooLong(text.length);
  const edit = parseFlatObject(text) ?? parsePairs(text);
  if (edit === null) return fail("metadataInvalid", `metadata format incorrect:${shorten(text)}`);
  const length = metadataLength(edit);
  return length <= MAX_METADATA_LENGTH ? succeed(edit) : tooLong(length);
}

function tooLong(length: number): Result<never> {
  return fail("parameterInvalid", tooLongText("Metadata", MAX_METADATA_LENGTH, length));
}

/** An answer repeats a value that was sent, but not a megabyte of it. */
function shorten(text: string): string {
  const limit = 2 * MAX_METADATA_LENGTH;
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}
