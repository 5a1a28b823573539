import { test } from "vitest";
import {
  canonicalAddress,
  compareAddresses,
  compareText,
  ipv4Number,
} from "../../../shared/naming/address.ts";

test.for<[name: string, spellings: string[], canonical: string]>([
  ["the loopback", ["::1", "0:0:0:0:0:0:0:1", "[::1]", "0000::0001", "::0:1", "::0.0.0.1"], "::1"],
  ["no address", ["::", "0::0", "0:0:0:0:0:0:0:0", "[::]", "::0.0.0.0"], "::"],
  ["upper case", ["2001:DB8::A", "2001:db8:0:0:0:0:0:a", "2001:0DB8::000A"], "2001:db8::a"],
  ["zeros at the end", ["fe80::", "fE80:0:0:0:0:0:0:0"], "fe80::"],
  ["the longer of two runs", ["1:0:0:2:0:0:0:3", "1::2:0:0:0:3"], "1:0:0:2::3"],
  ["the first of two equal runs", ["1:0:0:2:3:0:0:4", "1:0:0:2:3::4"], "1::2:3:0:0:4"],
  ["one zero alone, which stays", ["1:2:3:0:5:6:7:8", "1:2:3::5:6:7:8"], "1:2:3:0:5:6:7:8"],
  ["no zero", ["1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]"], "1:2:3:4:5:6:7:8"],
  ["IPv4 within", ["::ffff:10.0.0.1", "::FFFF:0a00:0001"], "::ffff:a00:1"],
  ["IPv4 within all groups", ["1:2:3:4:5:6:255.255.255.255"], "1:2:3:4:5:6:ffff:ffff"],
  ["a zone", ["fe80::1%eth0", "fE80:0::1%eth0", "[fe80::1%eth0]"], "fe80::1%eth0"],
  ["a zone in upper case", ["fe80::1%ETH0"], "fe80::1%ETH0"],
  ["a zone with a % of its own", ["fE80::1%a%b"], "fe80::1%a%b"],
])("N7: %s has one spelling", ([, spellings, canonical], { expect }) => {
  expect(spellings.map(canonicalAddress)).toEqual(spellings.map(() => canonical));
  expect(canonicalAddress(canonical)).toBe(canonical);
});

test.for<[name: string, sent: string]>([
  ["IPv4", "10.0.0.1"],
  ["IPv4 with leading zeros", "010.000.000.001"],
  ["a host name", "Node-1.Example.COM"],
  ["a host name in brackets", "[node]"],
  ["nothing", ""],
  ["__proto__", "__proto__"],
  ["a lone surrogate", "\ud800"],
  ["a colon alone", ":"],
  ["three colons", ":::"],
  ["two gaps", "1::2::3"],
  ["a gap that stands for nothing", "1:2:3:4::5:6:7:8"],
  ["seven groups", "1:2:3:4:5:6:7"],
  ["nine groups", "1:2:3:4:5:6:7:8:9"],
  ["nine groups and a gap", "1:2:3:4:5:6:7:8::9"],
  ["a group of five digits", "::12345"],
  ["a group that is no hex", "::g"],
  ["a group with a sign", "::+1"],
  ["a group of another script", "::٣"],
  ["IPv4 out of range within", "::256.0.0.1"],
  ["IPv4 in the middle", "::1.2.3.4:5"],
  ["IPv4 before the gap", "1.2.3.4::"],
  ["IPv4 between a group and the gap", "1:2.3.4.5::6"],
  ["IPv4 with a port", "10.0.0.1:80"],
  ["one bracket", "[::1"],
  ["brackets within brackets", "[[::1]]"],
  ["brackets and a port", "[::1]:80"],
  ["a zone without an address", "%eth0:"],
  ["a colon at the end", "1:2:3:4:5:6:7:"],
  ["a great many colons", ":".repeat(128)],
])("N7: %s is no IPv6 and stays as it was sent", ([, sent], { expect }) => {
  expect(canonicalAddress(sent)).toBe(sent);
});

test("N7: addresses with different zones, or with none, are different ones", ({ expect }) => {
  const sent = ["fe80::1", "fe80::1%eth0", "fe80::1%eth1", "fe80::1%ETH0"];
  expect(new Set(sent.map(canonicalAddress)).size).toBe(4);
});

test.for<[sent: string, value: number]>([
  ["0.0.0.0", 0],
  ["0.0.0.1", 1],
  ["10.0.0.1", 167_772_161],
  ["127.255.255.255", 2_147_483_647],
  ["128.0.0.0", 2_147_483_648],
  ["255.255.255.255", 4_294_967_295],
  ["010.0.0.1", 167_772_161],
  ["256.0.0.0", -1],
  ["0.0.0.256", -1],
  ["1.2.3", -1],
  ["1.2.3.4.5", -1],
  ["1.2.3.", -1],
  ["-1.2.3.4", -1],
  ["1.2.3.4\n", -1],
  [" 1.2.3.4", -1],
  ["1.2.3.0004", -1],
  ["0x1.2.3.4", -1],
  ["", -1],
  ["node", -1],
])("P8: the number of %j is %i", ([sent, value], { expect }) => {
  expect(ipv4Number(sent)).toBe(value);
});

test("P8: IPv4 goes by number and comes before all else, which goes by text", ({ expect }) => {
  const ordered = [
    "0.0.0.0",
    "2.0.0.0",
    "9.9.9.9",
    "010.0.0.1",
    "10.0.0.1",
    "10.0.0.2",
    "10.0.0.10",
    "200.0.0.1",
    "255.255.255.255",
    "256.0.0.1",
    "::1",
    "NODE",
    "node",
    "node-10",
    "node-2",
    "é",
    "\ud800",
  ];
  expect(ordered.toReversed().toSorted(compareAddresses)).toEqual(ordered);
  for (const [index, left] of ordered.entries()) {
    for (const [other, right] of ordered.entries()) {
      expect(Math.sign(compareAddresses(left, right))).toBe(Math.sign(index - other));
    }
  }
});

test("P8: texts go by UTF-16 unit, whatever the locale", ({ expect }) => {
  const ordered = ["", "A", "Z", "a", "ab", "b", "z", "ä", "\ud83d\udc1a", "\uffff"];
  expect(ordered.toReversed().toSorted(compareText)).toEqual(ordered);
  expect(compareText("a", "a")).toBe(0);
});
