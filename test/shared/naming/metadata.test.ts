import { test } from "vitest";
import { fail, succeed } from "../../../shared/errors.ts";
import {
  MAX_STORED_METADATA_LENGTH,
  metadataFromObject,
  metadataLength,
  metadataToObject,
  NO_METADATA,
  parseMetadata,
  sameMetadata,
  withoutNulls,
} from "../../../shared/naming/metadata.ts";
import { metadata } from "../../support/builders.ts";

type Texts = Record<string, string | null>;

test.for<[name: string, sent: string, read: Texts]>([
  ["an empty object", "{}", {}],
  ["blanks in an empty object", " { \n } ", {}],
  ["the word null", " null ", {}],
  ["nothing", "", {}],
  ["blanks", " \t", {}],
  ["texts", '{"a":"1","b":""}', { a: "1", b: "" }],
  ["blanks around every sign", ' { "a" : "1" , "b" : 2 } ', { a: "1", b: "2" }],
  [
    "numbers in their own spelling",
    '{"a":1.50,"b":12345678901234567890,"c":-0,"d":1E+9}',
    { a: "1.50", b: "12345678901234567890", c: "-0", d: "1E+9" },
  ],
  ["booleans", '{"a":true,"b":false}', { a: "true", b: "false" }],
  ["null beside the text null", '{"a":null,"b":"null"}', { a: null, b: "null" }],
  ["the last of a key sent twice", '{"a":"1","a":null,"a":"2"}', { a: "2" }],
  ["an empty key", '{"":"1"}', { "": "1" }],
  ["escapes", String.raw`{"a\"\\\/\n":"\u00e9\ud83d\udc1a\t"}`, { 'a"\\/\n': "é🐚\t" }],
  ["a lone surrogate, replaced", String.raw`{"\ud800":"\udfff"}`, { "\ufffd": "\ufffd" }],
  ["signs of JSON and of pairs in texts", '{"a":"{\\"b\\":1},c=d"}', { a: '{"b":1},c=d' }],
  ["text after the closing brace", '{"a":"1"} and more', { a: "1" }],
  ["pairs", "a=1,b=2", { a: "1", b: "2" }],
  ["pairs with a comma at the end", "a=1,", { a: "1" }],
  ["blanks in pairs, which stay", "a = 1, b=2", { "a ": " 1", " b": "2" }],
  ["a pair with an empty key", "=1", { "": "1" }],
  ["the last of a pair sent twice", "a=1,a=2", { a: "2" }],
])("N10: metadata that are %s", ([, sent, read], { expect }) => {
  expect(parseMetadata(sent)).toEqual(succeed(metadata(read)));
});

test.for<[name: string, sent: string]>([
  ["a word", "abc"],
  ["a number", "1"],
  ["a text of JSON", '"abc"'],
  ["an array", "[]"],
  ["an array of objects", '[{"a":"1"}]'],
  ["an array as a value", '{"a":[]}'],
  ["an object as a value", '{"a":{"b":"1"}}'],
  ["an object that does not end", '{"a":"1"'],
  ["an object that only begins", "{"],
  ["a text that does not end", '{"a":"1}'],
  ["a text that ends in a backslash", '{"a":"\\"}'],
  ["a comma before the brace", '{"a":"1",}'],
  ["a comma alone in braces", "{,}"],
  ["a missing comma", '{"a":"1" "b":"2"}'],
  ["a missing colon", '{"a" "1"}'],
  ["a missing value", '{"a":}'],
  ["a key without quotes", '{a:"1"}'],
  ["a key in single quotes", "{'a':1}"],
  ["a number as a key", '{1:"1"}'],
  ["an unknown word", '{"a":undefined}'],
  ["a word in upper case", '{"a":TRUE}'],
  ["NaN", '{"a":NaN}'],
  ["a hexadecimal number", '{"a":0x10}'],
  ["a number that ends in its point", '{"a":1.}'],
  ["a plus sign", '{"a":+1}'],
  ["an unknown escape", String.raw`{"a":"\x41"}`],
  ["half an escape", String.raw`{"a":"\u00"}`],
  ["a control character in a text", '{"a":"\u0001"}'],
  ["a line end in a text", '{"a":"\n"}'],
  ["a pair without a value", "a="],
  ["a pair with two signs", "a=b=c"],
  ["a pair that is only a key", "a=1,b"],
  ["an empty pair between", "a=1,,b=2"],
  ["__proto__ alone", "__proto__"],
  ["a lone surrogate", "\ud800"],
])("N10: metadata that are %s are refused with their raw text", ([, sent], { expect }) => {
  expect(parseMetadata(sent)).toEqual(fail("metadataInvalid", `metadata format incorrect:${sent}`));
});

test("N10: a long text that is refused is told in part", ({ expect }) => {
  expect(parseMetadata("x".repeat(2_048))).toEqual(
    fail("metadataInvalid", `metadata format incorrect:${"x".repeat(2_048)}`),
  );
  expect(parseMetadata("x".repeat(2_049))).toEqual(
    fail("metadataInvalid", `metadata format incorrect:${"x".repeat(2_048)}… (2049 characters)`),
  );
});

test.for(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "N12: %s is a plain key",
  (key, { expect }) => {
    const read = succeed(new Map([[key, "1"]]));
    expect(parseMetadata(`{"${key}":"1"}`)).toEqual(read);
    expect(parseMetadata(`${key}=1`)).toEqual(read);

    const shown = metadataToObject(
      new Map([
        [key, "1"],
        ["a", "2"],
      ]),
    );
    expect(JSON.stringify(shown)).toBe(`{"${key}":"1","a":"2"}`);
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
    expect(metadataFromObject(shown)).toEqual(
      new Map([
        [key, "1"],
        ["a", "2"],
      ]),
    );
    expect(sameMetadata(new Map([[key, "1"]]), metadata({ a: "1" }))).toBe(false);
  },
);

function tooLong(length: number): ReturnType<typeof fail> {
  return fail(
    "parameterInvalid",
    `Param 'Metadata' is illegal, the param length should not exceed 1024. (current length: ${length})`,
  );
}

test.for<[name: string, make: (length: number) => string]>([
  ["one value", (length) => JSON.stringify({ key: "v".repeat(length - 3) })],
  ["one key", (length) => JSON.stringify({ ["k".repeat(length - 1)]: "v" })],
  ["two pairs", (length) => `a=1,b=${"2".repeat(length - 3)}`],
  ["a key with null, which counts", (length) => JSON.stringify({ ["k".repeat(length)]: null })],
  ["escapes, which count as what they mean", (length) => `{"a":"${"\\u0061".repeat(length - 1)}"}`],
  ["characters of two units", (length) => `a=${"🐚".repeat(500)}${"v".repeat(length - 1_001)}`],
])("N11: %s of 1024 characters pass, one more is refused", ([, make], { expect }) => {
  expect(parseMetadata(make(1_024)).ok).toBe(true);
  expect(parseMetadata(make(1_025))).toEqual(tooLong(1_025));
});

test("N11: a text beyond what an instance may gather is refused unread", ({ expect }) => {
  const limit = MAX_STORED_METADATA_LENGTH;
  expect(limit).toBe(65_536);
  expect(parseMetadata(`a=${"v".repeat(limit - 2)}`)).toEqual(tooLong(limit - 1));
  expect(parseMetadata(`{"a":1}${" ".repeat(limit - 7)}`)).toEqual(succeed(metadata({ a: "1" })));
  expect(parseMetadata(`{"a":1}${" ".repeat(limit - 6)}`)).toEqual(tooLong(limit + 1));
  expect(parseMetadata("\u0000".repeat(1_000_000))).toEqual(tooLong(1_000_000));
});

test("N11: the length is that of keys and values in UTF-16 units", ({ expect }) => {
  expect(metadataLength(NO_METADATA)).toBe(0);
  expect(metadataLength(metadata({ ab: "cde", "🐚": "", x: null }))).toBe(8);
});

test("N10: keys with null are left out, and nothing else", ({ expect }) => {
  expect(withoutNulls(metadata({ a: null, b: "", c: "null" }))).toEqual(metadata({ b: "", c: "null" }));
});

test.for<[name: string, a: Texts, b: Texts, same: boolean]>([
  ["nothing", {}, {}, true],
  ["another order", { a: "1", b: "2" }, { b: "2", a: "1" }, true],
  ["another value", { a: "1" }, { a: "2" }, false],
  ["another key", { a: "1" }, { b: "1" }, false],
  ["a key more", { a: "1" }, { a: "1", b: "2" }, false],
  ["a key less", { a: "1", b: "2" }, { a: "1" }, false],
  ["another case", { a: "x" }, { A: "x" }, false],
])("I3: metadata are compared by what they hold: %s", ([, a, b, same], { expect }) => {
  expect(sameMetadata(withoutNulls(metadata(a)), withoutNulls(metadata(b)))).toBe(same);
});
