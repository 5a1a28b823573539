import { beforeEach, test } from "vitest";
import {
  OK,
  parseBody,
  refusal,
  sendNaming,
  summarize,
  uniqueName,
  type Answer,
} from "../../../support/http.ts";

let serviceName: string;
beforeEach(() => {
  serviceName = uniqueName("orders");
});

const AT = { ip: "10.0.0.1", port: "80" };

function send(method: string, path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  return sendNaming(method, path, { query: { serviceName, ...parameters } });
}

async function full(parameters: Record<string, string> = {}): Promise<unknown> {
  return parseBody(await send("GET", "/instance", { ...AT, view: "full", ...parameters }));
}

test("O10: view=full shows registered, override and effective values, and each field can be cleared", async ({
  expect,
}) => {
  await send("POST", "/instance", { ...AT, weight: "2", metadata: "a=1,b=2" });
  expect(await full()).toMatchObject({ override: null });
  await send("PATCH", "/instance", { ...AT, weight: "5", enabled: "false", metadata: '{"a":null,"c":"3"}' });
  const id = `10.0.0.1#80#DEFAULT#DEFAULT_GROUP@@${serviceName}`;
  const shown = {
    service: `DEFAULT_GROUP@@${serviceName}`,
    ...AT,
    port: 80,
    clusterName: "DEFAULT",
    weight: 5,
    healthy: true,
    instanceId: id,
    metadata: { b: "2", c: "3" },
    enabled: false,
    ephemeral: true,
    registered: { weight: 2, enabled: true, metadata: { a: "1", b: "2" } },
    override: { weight: 5, enabled: false, metadata: { mode: "merge", values: { c: "3" }, hidden: ["a"] } },
    effective: { weight: 5, enabled: false, metadata: { b: "2", c: "3" } },
  };
  expect(await full()).toEqual(shown);
  const { enabled: _enabled, ephemeral, registered, override, effective, ...plain } = shown;
  expect(parseBody(await send("GET", "/instance", AT))).toEqual(plain);
  expect(summarize(await send("DELETE", "/instance/override", { ...AT, field: "weight" }))).toEqual(OK);
  expect(await full()).toEqual({
    ...shown,
    weight: 2,
    override: { enabled: false, metadata: override.metadata },
    effective: { ...effective, weight: 2 },
    registered,
    ephemeral,
  });
  expect(summarize(await send("DELETE", "/instance/override", { ...AT, field: "metadata" }))).toEqual(OK);
  expect(await full()).toMatchObject({ override: { enabled: false }, metadata: { a: "1", b: "2" } });
  expect(summarize(await send("DELETE", "/instance/override", AT))).toEqual(OK);
  expect(await full()).toMatchObject({ override: null, effective: registered });
  expect(summarize(await send("DELETE", "/instance/override", AT))).toEqual(OK);
});

test("O2: PUT sets weight and enabled to their defaults, and metadata only when they are sent", async ({
  expect,
}) => {
  await send("POST", "/instance", { ...AT, weight: "2", enabled: "false", metadata: "a=1" });
  expect(summarize(await send("PUT", "/instance", { ...AT, enable: "true" }))).toEqual(OK);
  expect(await full()).toMatchObject({ override: { weight: 1, enabled: true }, metadata: { a: "1" } });
  await send("PUT", "/instance", { ...AT, metadata: "b=2" });
  expect(await full()).toMatchObject({ metadata: { b: "2" }, registered: { metadata: { a: "1" } } });
  await send("PUT", "/instance", { ...AT, metadata: "{}" });
  expect(await full()).toMatchObject({ override: { metadata: { mode: "replace", values: {} } } });
  const { metadata }: { metadata: unknown } = JSON.parse((await send("GET", "/instance", AT)).body);
  expect(metadata).toEqual({});
});

test("O3: PATCH sets only what is sent; `enable` is not read", async ({ expect }) => {
  await send("POST", "/instance", { ...AT, weight: "2", metadata: "a=1" });
  await send("PATCH", "/instance", { ...AT, enable: "false" });
  expect(await full()).toMatchObject({ override: null, enabled: true });
  await send("PATCH", "/instance", { ...AT, metadata: '{"a":null}' });
  await send("POST", "/instance", { ...AT, weight: "9", metadata: "a=1,b=2" });
  expect(await full()).toMatchObject({ weight: 9, effective: { metadata: { b: "2" } } });
});

test("O1, O9: an edit changes neither health, kind nor cluster, and leaves registered values", async ({
  expect,
}) => {
  await send("POST", "/instance", { ...AT, healthy: "false", clusterName: "a" });
  for (const method of ["PUT", "PATCH"]) {
    await send(method, "/instance", { ...AT, weight: "3", healthy: "true", ephemeral: "false" });
    expect(await full()).toMatchObject({
      healthy: false,
      ephemeral: true,
      clusterName: "a",
      weight: 3,
      registered: { weight: 1 },
    });
  }
});

test("O6: an edit without a cluster goes to DEFAULT, else to the only one, else it is refused", async ({
  expect,
}) => {
  await send("POST", "/instance", { ...AT, clusterName: "b" });
  expect(summarize(await send("PUT", "/instance", { ...AT, weight: "2" }))).toEqual(OK);
  await send("POST", "/instance", { ...AT, clusterName: "a" });
  const text = "Param 'clusterName' is required: 10.0.0.1:80 stands in the clusters a, b.";
  for (const [method, path] of [
    ["PUT", "/instance"],
    ["PATCH", "/instance"],
    ["DELETE", "/instance/override"],
  ] as const) {
    expect(summarize(await send(method, path, { ...AT, weight: "3" }))).toEqual(refusal(text));
  }
  await send("POST", "/instance", AT);
  expect(summarize(await send("PATCH", "/instance", { ...AT, weight: "4" }))).toEqual(OK);
  expect(await full()).toMatchObject({ clusterName: "DEFAULT", weight: 4 });
  expect(await full({ clusterName: "a" })).toMatchObject({ weight: 1 });
});

test("O7: edits of an instance that is not there", async ({ expect }) => {
  const name = `DEFAULT_GROUP@@${serviceName}`;
  expect(summarize(await send("PUT", "/instance", AT))).toEqual(
    refusal(`service not found, namespace: public, service: ${name}`),
  );
  const nothing = refusal(`no ips found for cluster DEFAULT in service ${name}`, 404);
  expect(summarize(await send("PATCH", "/instance", AT))).toEqual(nothing);
  expect(summarize(await send("DELETE", "/instance/override", AT))).toEqual(nothing);
  await send("POST", "/instance", { ...AT, ip: "10.0.0.2" });
  const before = (await send("GET", "/service/events")).body;
  expect(summarize(await send("PUT", "/instance", { ...AT, weight: "9" }))).toEqual(OK);
  const unmatched = refusal("no matched ip found!", 404);
  expect(summarize(await send("PATCH", "/instance", AT))).toEqual(unmatched);
  expect(summarize(await send("DELETE", "/instance/override", AT))).toEqual(unmatched);
  expect((await send("GET", "/service/events")).body).toBe(before);
});

test.for(["PUT", "PATCH"])("O5: %s that puts timings out of order is refused", async (method, { expect }) => {
  await send("POST", "/instance", { ...AT, metadata: '{"preserved.heart.beat.interval":"10000"}' });
  const metadata = '{"preserved.heart.beat.timeout":"9999"}';
  const text = "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.";
  expect(summarize(await send(method, "/instance", { ...AT, metadata }))).toEqual(refusal(text));
  expect(await full()).toMatchObject({ override: null });
});

test("O10: an unknown field is refused and nothing is cleared", async ({ expect }) => {
  await send("POST", "/instance", AT);
  await send("PATCH", "/instance", { ...AT, weight: "2" });
  expect(summarize(await send("DELETE", "/instance/override", { ...AT, field: "health" }))).toEqual(
    refusal("Param 'field' is illegal, allowed: weight, enabled, metadata. (current: health)"),
  );
  expect(await full()).toMatchObject({ override: { weight: 2 } });
});

test("N11: an instance gathers 65,536 characters of metadata and no more", async ({ expect }) => {
  await send("POST", "/instance", AT);
  const edit = (name: string, length: number): Promise<Answer> =>
    send("PATCH", "/instance", { ...AT, metadata: JSON.stringify({ [name]: "x".repeat(length) }) });
  for (let index = 0; index < 64; index++) {
    expect(summarize(await edit(`k${String(index).padStart(3, "0")}`, 1_020))).toEqual(OK);
  }
  expect(summarize(await edit("one", 1))).toEqual(
    refusal(
      "Param 'Metadata' is illegal, all metadata of an instance should not exceed 65536. (current length: 65540)",
    ),
  );
  expect(summarize(await edit("k000", 1_000))).toEqual(OK);
});
