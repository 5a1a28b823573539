import { test } from "vitest";
import {
  checkAddress,
  checkClusterName,
  checkGroupName,
  checkNamespaceId,
  checkServiceName,
} from "../../../shared/naming/names.ts";

type Check = (value: string) => string | null;
type Good = [rule: string, name: string, check: Check, value: string];

const NAMESPACE_TEXT = "letters, digits, - and _";
const GROUP_TEXT = "letters, digits, - _ . and :";
const SERVICE_TEXT = "no white space, no character from U+4E00 to U+9FA5, no @ in the first place, no @@";
const ADDRESS_TEXT = "an IPv4 or IPv6 address or a host name, without white space";
const CLUSTER_TEXT = "letters, digits and -";

/** Every character but the ones named, so that what is allowed is proved to the last one of ASCII. */
function asciiWithout(allowed: RegExp): string[] {
  return Array.from({ length: 128 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => !allowed.test(character),
  );
}

test.for<Good>([
  ["N1", "one character", checkNamespaceId, "a"],
  ["N1", "64 characters", checkNamespaceId, "n".repeat(64)],
  ["N1", "all that is allowed", checkNamespaceId, "azAZ09-_"],
  ["N12", "__proto__", checkNamespaceId, "__proto__"],
  ["N2", "one character", checkGroupName, "-"],
  ["N2", "128 characters", checkGroupName, "g".repeat(128)],
  ["N2", "all that is allowed", checkGroupName, "azAZ09-_.:"],
  ["N12", "constructor", checkGroupName, "constructor"],
  ["N3", "one character", checkServiceName, "s"],
  ["N3", "512 characters", checkServiceName, "s".repeat(512)],
  ["N3", "an @ that is not the first", checkServiceName, "a@b@"],
  ["N3", "the neighbours of the refused Han characters", checkServiceName, "\u4dff\u9fa6"],
  ["N3", "Unicode that only looks blank", checkServiceName, "a\u00a0\u3000b"],
  ["N3", "a character beyond the first plane", checkServiceName, "🐚"],
  ["N3", "every sign of ASCII", checkServiceName, "!\"#$%&'()*+,-./:;<=>?[\\]^_`{|}~"],
  ["N12", "__proto__", checkServiceName, "__proto__"],
  ["N12", "hasOwnProperty", checkServiceName, "hasOwnProperty"],
  ["N4", "one character", checkClusterName, "0"],
  ["N4", "64 characters", checkClusterName, "c".repeat(64)],
  ["N4", "all that is allowed", checkClusterName, "azAZ09-"],
  ["N12", "constructor", checkClusterName, "constructor"],
  ["N5", "one character", checkAddress, "h"],
  ["N5", "128 characters", checkAddress, "h".repeat(128)],
  ["N5", "a host name", checkAddress, "node-1.example.com"],
  ["N5", "IPv6 with brackets and zone", checkAddress, "[fe80::1%eth0]"],
  ["N5", "the neighbours of the refused Han characters", checkAddress, "\u4dff\u9fa6"],
])("%s: %s passes", ([, , check, value], { expect }) => {
  expect(check(value)).toBeNull();
});

test.for<[rule: string, word: string, check: Check, limit: number]>([
  ["N1", "namespaceId/tenant", checkNamespaceId, 64],
  ["N2", "group", checkGroupName, 128],
  ["N3", "serviceName", checkServiceName, 512],
  ["N4", "cluster", checkClusterName, 64],
  ["N5", "ip", checkAddress, 128],
])("%s: %s is refused from its limit on, with its length", ([, word, check, limit], { expect }) => {
  const illegal = `Param '${word}' is illegal, the param length should not exceed ${limit}.`;
  expect(check("x".repeat(limit))).toBeNull();
  expect(check("x".repeat(limit + 1))).toBe(`${illegal} (current length: ${limit + 1})`);
  expect(check("x".repeat(1_000_000))).toBe(`${illegal} (current length: 1000000)`);
  // A character of two units counts twice, and a name that is too long and illegal is too long.
  expect(check("🐚".repeat(limit / 2) + " ")).toBe(`${illegal} (current length: ${limit + 1})`);
});

test.for<[rule: string, word: string, check: Check, allowed: RegExp, text: string]>([
  ["N1", "namespaceId/tenant", checkNamespaceId, /[A-Za-z0-9_-]/, NAMESPACE_TEXT],
  ["N2", "group", checkGroupName, /[A-Za-z0-9_:.-]/, GROUP_TEXT],
  ["N3", "serviceName", checkServiceName, /[!-~]/, SERVICE_TEXT],
  ["N4", "cluster", checkClusterName, /[A-Za-z0-9_-]/, CLUSTER_TEXT],
  ["N5", "ip", checkAddress, /[!-~]/, ADDRESS_TEXT],
])(
  "%s, N6: %s is refused for every other character of ASCII",
  ([, word, check, allowed, text], { expect }) => {
    for (const character of asciiWithout(allowed)) {
      expect(check(`ab${character}`)).toBe(
        `Param '${word}' is illegal, illegal characters should not appear in the param. ` +
          `(${JSON.stringify(character)} at position 3; allowed: ${text})`,
      );
    }
  },
);

test.for<[name: string, check: Check, value: string, word: string, where: string]>([
  [
    "N1, N6: an emoji",
    checkNamespaceId,
    "a🐚b",
    "namespaceId/tenant",
    `"🐚" at position 2; allowed: ${NAMESPACE_TEXT}`,
  ],
  [
    "N1, N6: a lone surrogate",
    checkNamespaceId,
    "\udfff",
    "namespaceId/tenant",
    `"\\udfff" at position 1; allowed: ${NAMESPACE_TEXT}`,
  ],
  [
    "N1, N6: a letter with an accent",
    checkNamespaceId,
    "é",
    "namespaceId/tenant",
    `"é" at position 1; allowed: ${NAMESPACE_TEXT}`,
  ],
  [
    "N1, N6: a digit of another script",
    checkNamespaceId,
    "٣",
    "namespaceId/tenant",
    `"٣" at position 1; allowed: ${NAMESPACE_TEXT}`,
  ],
  [
    "N1, N6: a line end at the end",
    checkNamespaceId,
    "a\n",
    "namespaceId/tenant",
    `"\\n" at position 2; allowed: ${NAMESPACE_TEXT}`,
  ],
  ["N2, N6: an @", checkGroupName, "a@b", "group", `"@" at position 2; allowed: ${GROUP_TEXT}`],
  ["N2, N6: the first of two", checkGroupName, "a b/c", "group", `" " at position 2; allowed: ${GROUP_TEXT}`],
  [
    "N3, N6: an @ in the first place",
    checkServiceName,
    "@s",
    "serviceName",
    `"@" at position 1; allowed: ${SERVICE_TEXT}`,
  ],
  ["N3, N6: @@", checkServiceName, "a@@b", "serviceName", `"@@" at position 2; allowed: ${SERVICE_TEXT}`],
  [
    "N3, N6: the first Han character",
    checkServiceName,
    "s\u4e00",
    "serviceName",
    `"\u4e00" at position 2; allowed: ${SERVICE_TEXT}`,
  ],
  [
    "N3, N6: the last Han character",
    checkServiceName,
    "s\u9fa5",
    "serviceName",
    `"\u9fa5" at position 2; allowed: ${SERVICE_TEXT}`,
  ],
  ["N4, N6: a dot", checkClusterName, "a.b", "cluster", `"." at position 2; allowed: ${CLUSTER_TEXT}`],
  [
    "N4, N6: a comma beside an underscore",
    checkClusterName,
    "_,",
    "cluster",
    `"," at position 2; allowed: ${CLUSTER_TEXT}`,
  ],
  [
    "N4, N6: a #, which parts keys",
    checkClusterName,
    "a#1",
    "cluster",
    `"#" at position 2; allowed: ${CLUSTER_TEXT}`,
  ],
  ["N5, N6: a blank between", checkAddress, "10.0.0.1 ", "ip", `" " at position 9; allowed: ${ADDRESS_TEXT}`],
  [
    "N5, N6: the first Han character",
    checkAddress,
    "\u4e00",
    "ip",
    `"\u4e00" at position 1; allowed: ${ADDRESS_TEXT}`,
  ],
  [
    "N5, N6: the last Han character",
    checkAddress,
    "\u9fa5",
    "ip",
    `"\u9fa5" at position 1; allowed: ${ADDRESS_TEXT}`,
  ],
  [
    "N3, N6: a control character after ASCII",
    checkServiceName,
    "s\u0085",
    "serviceName",
    `"\u0085" at position 2; allowed: ${SERVICE_TEXT}`,
  ],
  [
    "N5, N6: a control character after ASCII",
    checkAddress,
    "h\u009f",
    "ip",
    `"\u009f" at position 2; allowed: ${ADDRESS_TEXT}`,
  ],
])("%s is told with its place", ([, check, value, word, where], { expect }) => {
  expect(check(value)).toBe(
    `Param '${word}' is illegal, illegal characters should not appear in the param. (${where})`,
  );
});

test("N4, N6: an underscore has the text of the second check of 2.x", ({ expect }) => {
  for (const current of ["_", "a_b", "__proto__"]) {
    expect(checkClusterName(current)).toBe(
      `Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: ${current})`,
    );
  }
});
