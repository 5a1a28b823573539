import { test } from "vitest";
import {
  parseHealthChecker,
  publicChecker,
  type HealthChecker,
} from "../../../shared/naming/health-checker.ts";

const HTTP = { type: "HTTP", path: "", headers: "", expectedResponseCode: 200 } as const;
const MYSQL = { type: "MYSQL", user: "", pwd: "", cmd: "" } as const;
const NONE = { type: "NONE" } as const;

test.for([
  ['{"type":"TCP"}', { type: "TCP" }],
  ['{"type":"TCP","path":"/x"}', { type: "TCP" }],
  ['{"type":"HTTP"}', HTTP],
  [
    '{"type":"HTTP","path":"/health","headers":"a:b|c:d","expectedResponseCode":204}',
    { type: "HTTP", path: "/health", headers: "a:b|c:d", expectedResponseCode: 204 },
  ],
  ['{"type":"HTTP","expectedResponseCode":"404"}', { ...HTTP, expectedResponseCode: 404 }],
  ['{"type":"HTTP","expectedResponseCode":"soon"}', HTTP],
  ['{"type":"HTTP","expectedResponseCode":null}', HTTP],
  ['{"type":"HTTP","path":1,"headers":["a"]}', HTTP],
  ['{"type":"MYSQL"}', MYSQL],
  [
    '{"type":"MYSQL","user":"u","pwd":"p","cmd":"SELECT 1"}',
    { type: "MYSQL", user: "u", pwd: "p", cmd: "SELECT 1" },
  ],
  ['{"type":"NONE"}', NONE],
  ['{"type":"http"}', NONE],
  ['{"type":"PING"}', NONE],
  ['{"type":["TCP"]}', NONE],
  ['{"type":"__proto__"}', NONE],
  ['{"__proto__":{"type":"TCP"}}', NONE],
  ["{}", NONE],
] as [string, HealthChecker][])("C2: the checker %s", ([text, checker], { expect }) => {
  expect(parseHealthChecker(text)).toEqual({ ok: true, value: checker });
});

test("C2: a checker is the same after it was stored as JSON", ({ expect }) => {
  for (const code of ["1e999", "-1e999", "1e308", "0.5"]) {
    const parsed = parseHealthChecker(`{"type":"HTTP","expectedResponseCode":${code}}`);
    expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed);
  }
});

const REFUSED = {
  ok: false,
  error: {
    name: "parameterInvalid",
    message: "Param 'healthChecker' is illegal, it should be a JSON object of at most 4096 characters.",
  },
};

test.for(["TCP", "", "null", "[]", '"TCP"', "1", '{"type":"TCP"', "{type:TCP}"])(
  "C2: '%s' is no JSON object",
  (text, { expect }) => {
    expect(parseHealthChecker(text)).toEqual(REFUSED);
  },
);

test("C2: 4,096 characters are read, one more is refused", ({ expect }) => {
  const rest = '{"type":"TCP","x":""}'.length;
  const make = (length: number): string => `{"type":"TCP","x":"${"x".repeat(length - rest)}"}`;
  expect(parseHealthChecker(make(4_096))).toEqual({ ok: true, value: { type: "TCP" } });
  expect(parseHealthChecker(make(4_097))).toEqual(REFUSED);
});

test("C2: a password is never shown", ({ expect }) => {
  expect(publicChecker({ type: "MYSQL", user: "u", pwd: "p", cmd: "c" })).toEqual({
    type: "MYSQL",
    user: "u",
    cmd: "c",
  });
  for (const checker of [HTTP, NONE, { type: "TCP" }] as const)
    expect(publicChecker(checker)).toEqual(checker);
});
