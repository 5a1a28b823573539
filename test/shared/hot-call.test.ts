import { test } from "vitest";
import { beatCallUrl, listCallUrl, NOT_RENEWED_STATUS, readHotCall } from "../../shared/hot-call.ts";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";

const TEXTS: [name: string, text: string][] = [
  ["a plain name", "orders"],
  ["nothing", ""],
  ["__proto__", "__proto__"],
  ["what means something in a URL", "?a=1&b=2#c/../%2F%zz+;@'\"\\[]"],
  ["what means something in JSON", '","x":{}],null'],
  ["characters of several planes", "é𝒜🐚\u3000\u00a0"],
  ["a lone surrogate", "a\ud800b\udfff"],
  ["control characters", "\u0000\u001f\u007f\u0085\u2028"],
  ["a long text", "x".repeat(4_096)],
];

function refOf(text: string): ServiceRef {
  return { namespaceId: `n${text}`, groupName: `g${text}`, serviceName: `s${text}` };
}

test.for(TEXTS)("P7: a list call carries %s unchanged", ([, text], { expect }) => {
  for (const healthyOnly of [true, false]) {
    const url = listCallUrl(refOf(text), text, healthyOnly);
    const call = { call: "list", ref: refOf(text), clusters: text, healthyOnly };
    expect(readHotCall(url)).toEqual(call);
    expect(readHotCall(new URL(url).href)).toEqual(call);
  }
});

test.for(TEXTS)("B2: a beat call carries %s unchanged", ([, text], { expect }) => {
  for (const [port, clusterName] of [
    [0, null],
    [65_535, text],
  ] as const) {
    const url = beatCallUrl(refOf(text), text, port, clusterName);
    const call = { call: "beat", ref: refOf(text), ip: text, port, clusterName };
    expect(readHotCall(url)).toEqual(call);
    expect(readHotCall(new URL(url).href)).toEqual(call);
  }
});

test("B2: a beat that names no cluster differs from one that names a blank or `null` one", ({ expect }) => {
  const clusters = [null, "", "null"].map((name) =>
    readHotCall(beatCallUrl(refOf(""), "10.0.0.1", 80, name)),
  );
  expect(clusters.map((call) => (call.call === "beat" ? call.clusterName : undefined))).toEqual([
    null,
    "",
    "null",
  ]);
});

test("V5: equal lists have one URL, and different ones never share it", ({ expect }) => {
  const ref = { namespaceId: "public", groupName: "g", serviceName: "s" };
  expect(listCallUrl(ref, "a", true)).toBe(listCallUrl({ ...ref }, "a", true));
  const urls = [
    listCallUrl(ref, "", false),
    listCallUrl(ref, "", true),
    listCallUrl(ref, "a", false),
    listCallUrl(ref, "a,b", false),
    listCallUrl(ref, "a%2Cb", false),
    listCallUrl({ ...ref, groupName: "g,s", serviceName: "" }, "", false),
    listCallUrl({ ...ref, groupName: 'g","s', serviceName: "s" }, "", false),
    listCallUrl({ ...ref, namespaceId: "Public" }, "", false),
  ];
  expect(new Set(urls).size).toBe(urls.length);
});

test("B3: the status of a beat that was not taken has no body", ({ expect }) => {
  expect(NOT_RENEWED_STATUS).toBe(204);
  expect(new Response(null, { status: NOT_RENEWED_STATUS }).body).toBeNull();
});
