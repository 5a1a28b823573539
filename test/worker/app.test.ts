import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { test, vi } from "vitest";
import { serviceObjectName } from "../../shared/naming/service-ref.ts";
import { OK, parseBody, send, sendNaming, summarize, uniqueName, type Answer } from "../support/http.ts";

const JSON_TYPE = "application/json;charset=UTF-8";

/** The error page of an answer, its time checked and taken out. */
function readPage(answer: Answer): unknown {
  const { timestamp, ...rest }: { timestamp: string } = JSON.parse(answer.body);
  const isDated = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/.test(timestamp);
  return { ...rest, type: answer.contentType, isDated };
}

function page(status: number, error: string, message: string, path: string): unknown {
  return { status, error, message, path, type: JSON_TYPE, isDated: true };
}

test.for(["/v1/ns", "/nacos/v1/ns"])(
  "W5: paths work under %s, with and without a trailing slash",
  async (prefix, { expect }) => {
    const serviceName = uniqueName("paths");
    const body = { query: { serviceName, ip: "10.0.0.1", port: "80" } };
    for (const slash of ["", "/"]) {
      expect(summarize(await send("POST", `${prefix}/instance${slash}`, body))).toEqual(OK);
      const list = await send("GET", `${prefix}/instance/list${slash}`, { query: { serviceName } });
      expect(parseBody(list)).toMatchObject({ hosts: [{ ip: "10.0.0.1" }] });
      expect(summarize(await send("DELETE", `${prefix}/instance${slash}`, body))).toEqual(OK);
    }
  },
);

test.for([
  "/v1/console/server/state",
  "/nacos/v1/console/server/state/",
  "/v1/console/health/liveness/",
  "/nacos/v1/console/health/readiness",
])("W5: %s answers", async (path, { expect }) => {
  expect((await send("GET", path)).status).toBe(200);
});

test.for([
  { name: "a double slash", path: "/nacos/v1/ns//instance/list", status: 501 },
  { name: "a double slash at the end", path: "/nacos/v1/ns/instance/list//", status: 501 },
  { name: "a double slash in front", path: "//v1/ns/instance/list", status: 404 },
  { name: "a double context path", path: "/nacos/nacos/v1/ns/instance/list", status: 404 },
  { name: "a double slash after the context path", path: "/nacos//v1/ns/instance/list", status: 404 },
  { name: "a path parameter", path: "/v1/ns/instance/list;a=b", status: 501 },
  { name: "a path parameter in the middle", path: "/v1/ns/instance;x/list", status: 501 },
  { name: "a path parameter in front", path: "/;a/v1/ns/instance/list", status: 404 },
  { name: "an encoded slash", path: "/v1/ns/instance%2Flist", status: 501 },
  { name: "an encoded slash of lower case", path: "/v1/ns%2finstance/list", status: 404 },
  { name: "an encoded backslash", path: "/v1/ns/instance%5Clist", status: 501 },
  { name: "an encoded semicolon", path: "/v1/ns/instance/list%3Ba", status: 501 },
  { name: "an encoded zero", path: "/v1/ns/instance/list%00", status: 501 },
  { name: "an encoded question mark", path: "/v1/ns/instance/list%3Fa", status: 501 },
  { name: "an encoded number sign", path: "/v1/ns/instance/list%23", status: 501 },
  { name: "an encoded slash at the end", path: "/v1/ns/instance/list%2F", status: 501 },
  { name: "a twice encoded slash", path: "/v1/ns/instance%252Flist", status: 501 },
  { name: "a broken escape", path: "/v1/ns/instance/list%", status: 501 },
  { name: "bytes that are not UTF-8", path: "/v1/ns/instance/list%ff", status: 501 },
  { name: "upper case", path: "/v1/ns/Instance/list", status: 501 },
  { name: "upper case of the family", path: "/V1/ns/instance/list", status: 404 },
  { name: "a suffix", path: "/v1/ns/instance/list.json", status: 501 },
])("W5: $name reaches no handler", async ({ path, status }, { expect }) => {
  const answer = await send("GET", path, { query: { serviceName: uniqueName("paths") } });
  expect(answer.status).toBe(status);
  expect(answer.body).not.toContain('"hosts"');
});

test.for([
  { name: "an unknown path", method: "GET", path: "/nacos/v1/ns/nope" },
  { name: "an unknown path without context", method: "POST", path: "/v1/ns/nope/deeper" },
  { name: "a wrong method", method: "PATCH", path: "/v1/ns/instance/list" },
  { name: "a wrong method of a beat", method: "POST", path: "/v1/ns/instance/beat" },
  { name: "a method that nobody knows", method: "PROPFIND", path: "/v1/ns/instance" },
  { name: "OPTIONS", method: "OPTIONS", path: "/v1/ns/instance" },
  { name: "the family alone", method: "GET", path: "/v1/ns" },
])("W6: $name under /v1/ns is a 501 page that names both", async ({ method, path }, { expect }) => {
  const answer = await send(method, path, { query: { serviceName: "x" } });
  expect(readPage(answer)).toEqual(page(501, "Not Implemented", `no such api:${method}:${path}`, path));
});

test.for([
  "/",
  "/nacos",
  "/v1",
  "/v1/nsx",
  "/v1/console",
  "/v1/console/nope",
  "/v9/ns/instance",
  "/favicon.ico",
])("W6: the unknown path %s is a 404 page", async (path, { expect }) => {
  expect(readPage(await send("GET", path))).toEqual(page(404, "Not Found", "No message available", path));
});

test.for(["/v1/console/server/state", "/nacos/v1/console/health/liveness", "/v1/console/health/readiness"])(
  "W6: a wrong method of %s is a 405 page",
  async (path, { expect }) => {
    const answer = await send("POST", path);
    expect(readPage(answer)).toEqual(
      page(405, "Method Not Allowed", "Method 'POST' is not supported.", path),
    );
  },
);

test("W6: HEAD answers as GET does, without a body", async ({ expect }) => {
  const answer = await sendNaming("HEAD", "/instance/list", { query: { serviceName: uniqueName("head") } });
  expect(summarize(answer)).toEqual({ status: 200, contentType: JSON_TYPE, body: "" });
});

test.for([
  { name: "a read", method: "GET", path: "/instance/list" },
  { name: "a write", method: "POST", path: "/instance" },
  { name: "a beat", method: "PUT", path: "/instance/beat" },
  { name: "the service", method: "GET", path: "/service" },
])(
  "W12: a fault during $name is a 500 with a number that the log holds, and nothing else",
  async (row, { expect }) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const ref = { namespaceId: "public", groupName: "DEFAULT_GROUP", serviceName: uniqueName("fault") };
    await runInDurableObject(env.SERVICE.getByName(serviceObjectName(ref)), (object) => {
      object.clock = () => {
        throw new Error("a secret of the inside");
      };
    });
    const answer = await sendNaming(row.method, row.path, {
      query: { serviceName: ref.serviceName, ip: "10.0.0.1", port: "80" },
    });
    const request = /^The registry could not answer \(request ([0-9a-f-]{36})\)\.$/.exec(answer.body)?.[1];
    expect({ ...summarize(answer), body: null }).toEqual({
      status: 500,
      contentType: OK.contentType,
      body: null,
    });
    expect(request).toBeDefined();
    const lines = logged.mock.calls
      .map(([line]) => String(line))
      .filter((line) => line.includes(String(request)));
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      {
        level: "error",
        event: "request-failed",
        message: "a secret of the inside",
        request,
        method: row.method,
        path: `/nacos/v1/ns${row.path}`,
      },
    ]);
    vi.restoreAllMocks();
  },
);
