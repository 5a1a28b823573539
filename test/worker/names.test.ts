import { test } from "vitest";
import { OK, parseBody, refusal, sendNaming, summarize, uniqueName, type Answer } from "../support/http.ts";

const AT = { ip: "10.0.0.1", port: "80" };

function illegal(word: string, shown: string, position: number, allowed: string): string {
  return `Param '${word}' is illegal, illegal characters should not appear in the param. (${JSON.stringify(shown)} at position ${position}; allowed: ${allowed})`;
}

function tooLong(word: string, limit: number): string {
  return `Param '${word}' is illegal, the param length should not exceed ${limit}. (current length: ${limit + 1})`;
}

const ALLOWED = {
  "namespaceId/tenant": "letters, digits, - and _",
  group: "letters, digits, - _ . and :",
  serviceName: "no white space, no character from U+4E00 to U+9FA5, no @ in the first place, no @@",
  cluster: "letters, digits and -",
  ip: "an IPv4 or IPv6 address or a host name, without white space",
} as const;

interface Good {
  readonly name: string;
  readonly parameter: string;
  readonly values: readonly string[];
}

const GOOD: readonly Good[] = [
  {
    name: "N1: a namespace",
    parameter: "namespaceId",
    values: ["a", "A-b_9", "x".repeat(64), "__proto__", "constructor"],
  },
  {
    name: "N2: a group",
    parameter: "groupName",
    values: ["a", "A-b_9.c:d", "x".repeat(128), "__proto__", "providers:a.b.C:1.0:"],
  },
  {
    name: "N3, N12: a service",
    parameter: "serviceName",
    values: [
      "providers:a.b.C:1.0:",
      "a@b",
      "a/b?c=d&e#f%g",
      "é\u00a0\u3000",
      "__proto__",
      "constructor",
      "toString",
      "$",
      "x".repeat(512),
    ],
  },
  {
    name: "N4, N12: a cluster",
    parameter: "clusterName",
    values: ["a", "A-9", "x".repeat(64), "constructor", "toString"],
  },
  {
    name: "N5: an address",
    parameter: "ip",
    values: ["localhost", "host_1.example.com", "999.1.1.1", "a/b", "x".repeat(128), "fe80::1%eth0"],
  },
  { name: "N8: a port", parameter: "port", values: ["0", "+80", "65535", "00080", "000000000000000080"] },
];

const GOOD_ROWS = GOOD.flatMap(({ name, parameter, values }) =>
  values.map((value) => ({ name, parameter, value, shown: value.slice(0, 24) })),
);

test.for(GOOD_ROWS)("$name $shown is good for every route", async ({ parameter, value }, { expect }) => {
  const named = { serviceName: uniqueName("s"), ...AT, [parameter]: value };
  // A service's name that is the same for each run needs a place of its own.
  const parameters = parameter === "serviceName" ? { ...named, namespaceId: uniqueName("ns") } : named;
  const send = (method: string, path: string, more: Record<string, string> = {}): Promise<Answer> =>
    sendNaming(method, path, { query: { ...parameters, ...more } });
  expect(summarize(await send("POST", "/instance"))).toEqual(OK);
  for (const method of ["PUT", "PATCH"])
    expect(summarize(await send(method, "/instance", { weight: "2" }))).toEqual(OK);
  expect(parseBody(await send("GET", "/instance"))).toMatchObject({ weight: 2 });
  expect(parseBody(await send("GET", "/instance/list"))).toMatchObject({ hosts: [{ weight: 2 }] });
  expect(parseBody(await send("PUT", "/instance/beat"))).toMatchObject({ code: 10_200 });
  expect(parseBody(await send("GET", "/instance/why"))).toMatchObject({ state: "healthy" });
  expect(summarize(await send("DELETE", "/instance/override"))).toEqual(OK);
  expect((await send("GET", "/service")).status).toBe(200);
  expect((await send("DELETE", "/instance")).headers.get("nacre-removed")).toBe("1");
  expect(summarize(await send("DELETE", "/service"))).toEqual(OK);
});

interface Bad {
  readonly name: string;
  readonly parameter: string;
  readonly value: string;
  readonly text: string;
}

function bad(
  name: string,
  parameter: string,
  word: keyof typeof ALLOWED,
  value: string,
  shown: string,
  at: number,
): Bad {
  return { name, parameter, value, text: illegal(word, shown, at, ALLOWED[word]) };
}

const BAD: readonly Bad[] = [
  bad("N1, N6: a namespace", "namespaceId", "namespaceId/tenant", "a.b", ".", 2),
  bad("N1, N6: a namespace", "namespaceId", "namespaceId/tenant", "中", "中", 1),
  {
    name: "N1: a namespace",
    parameter: "namespaceId",
    value: "x".repeat(65),
    text: tooLong("namespaceId/tenant", 64),
  },
  bad("N2, N6: a group", "groupName", "group", "ab c", " ", 3),
  bad("N2, N6: a group", "groupName", "group", "a@b", "@", 2),
  bad("N2, N6: a group", "groupName", "group", "a‐b", "‐", 2),
  { name: "N2: a group", parameter: "groupName", value: "x".repeat(129), text: tooLong("group", 128) },
  bad("N3, N6: a service", "serviceName", "serviceName", "a b", " ", 2),
  bad("N3, N6: a service", "serviceName", "serviceName", "a\u0000b", "\u0000", 2),
  bad("N3, N6: a service", "serviceName", "serviceName", "a\u007fb", "\u007f", 2),
  bad("N3, N6: a service", "serviceName", "serviceName", "服务", "服", 1),
  bad("N3, N6: a service", "serviceName", "serviceName", "ab龥", "龥", 3),
  bad("N3, N6: a service", "serviceName", "serviceName", "@a", "@", 1),
  bad("N3, N6: a service", "serviceName", "serviceName", "g@@a@@b", "@@", 2),
  bad("N2, N6: a service", "serviceName", "group", "g g@@a", " ", 2),
  {
    name: "N3: a service",
    parameter: "serviceName",
    value: "x".repeat(513),
    text: tooLong("serviceName", 512),
  },
  bad("N4, N6: a cluster", "clusterName", "cluster", "a,b", ",", 2),
  bad("N4, N6: a cluster", "cluster", "cluster", "a.b", ".", 2),
  {
    name: "N4, N6: a cluster",
    parameter: "clusterName",
    value: "a_b",
    text: "Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: a_b)",
  },
  { name: "N4: a cluster", parameter: "clusterName", value: "x".repeat(65), text: tooLong("cluster", 64) },
  bad("N5, N6: an address", "ip", "ip", "10.0.0.1 x", " ", 9),
  bad("N5, N6: an address", "ip", "ip", "主机", "主", 1),
  bad("N5, N6: an address", "ip", "ip", "a\u0007", "\u0007", 2),
  { name: "N5: an address", parameter: "ip", value: "x".repeat(129), text: tooLong("ip", 128) },
  ...["-1", "65536", "80.0", "abc", "0x50", "1e3", "８０", "99999999999999999999"].map((value) => ({
    name: "N8: a port",
    parameter: "port",
    value,
    text: `Param 'port' is illegal, the value should be between 0 and 65535. (current: ${value})`,
  })),
];

test.for(BAD.map((row) => ({ ...row, shown: JSON.stringify(row.value.slice(0, 24)) })))(
  "$name $shown is refused by every route that lets an instance in",
  async ({ parameter, value, text }, { expect }) => {
    const sent = { serviceName: uniqueName("s"), ...AT, [parameter]: value };
    for (const method of ["POST", "PUT", "PATCH"]) {
      expect(summarize(await sendNaming(method, "/instance", { query: sent }))).toEqual(refusal(text));
    }
    const beat = { ...sent, beat: '{"ip":"10.0.0.1","port":80}' };
    const inBeat =
      parameter === "cluster" ? null : summarize(await sendNaming("PUT", "/instance/beat", { form: beat }));
    expect(inBeat ?? refusal(text)).toEqual(refusal(text));
  },
);

test.for([
  {
    name: "long and short",
    spellings: ["2001:db8:0:0:0:0:0:1", "2001:DB8::1", "[2001:db8::1]", "2001:0db8::0001"],
    shown: "2001:db8::1",
  },
  { name: "with an IPv4 tail", spellings: ["::ffff:10.0.0.1", "::FFFF:a00:1"], shown: "::ffff:a00:1" },
  { name: "with a zone", spellings: ["fe80:0::1%eth0", "[fe80::1%eth0]"], shown: "fe80::1%eth0" },
  { name: "loopback", spellings: ["::1", "0:0:0:0:0:0:0:1", "[::1]"], shown: "::1" },
])("N7: IPv6 $name is one address", async ({ spellings, shown }, { expect }) => {
  const serviceName = uniqueName("v6");
  const send = (method: string, path: string, ip: string): Promise<Answer> =>
    sendNaming(method, path, { query: { serviceName, ip, port: "80" } });
  for (const ip of spellings) expect(summarize(await send("POST", "/instance", ip))).toEqual(OK);
  expect(parseBody(await send("GET", "/instance/list", shown))).toMatchObject({
    revision: 1,
    hosts: [{ ip: shown }],
  });
  for (const ip of spellings) {
    expect(parseBody(await send("GET", "/instance", ip))).toMatchObject({ ip: shown });
    expect(parseBody(await send("PUT", "/instance/beat", ip))).toMatchObject({ code: 10_200 });
    const beat = JSON.stringify({ ip, port: 80 });
    const full = await sendNaming("PUT", "/instance/beat", { query: { serviceName, beat } });
    expect(parseBody(full)).toMatchObject({ code: 10_200 });
  }
  expect((await send("DELETE", "/instance", spellings.at(-1) ?? "")).headers.get("nacre-removed")).toBe("1");
});

test("N7: addresses with different zones are two", async ({ expect }) => {
  const serviceName = uniqueName("v6");
  for (const ip of ["fe80::1%a", "fe80::1%b", "fe80::1"]) {
    await sendNaming("POST", "/instance", { query: { serviceName, ip, port: "80" } });
  }
  const list: { hosts: unknown[] } = JSON.parse(
    (await sendNaming("GET", "/instance/list", { query: { serviceName } })).body,
  );
  expect(list.hosts).toHaveLength(3);
});
