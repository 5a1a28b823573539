import { parseBody, sendNaming } from "../support/http.ts";
import {
  BOUND,
  CLUSTER,
  GROUP,
  HEALTHY,
  MEGABYTE,
  METADATA,
  NACOS_TEXTS,
  NAMESPACE,
  PAGE,
  PATTERN,
  SERVICE,
  WEIGHT,
  WHOLE_NUMBER,
  clusterFilter,
  isDisabled,
  isMissed,
  isUnhealthy,
  legal,
  refusedAs,
  show,
  type BadValue,
} from "./bad-value-kinds.ts";

/** Bad values by parameter; one that differs on a route stands under `METHOD path parameter`. */
export const BAD_VALUES: Readonly<Record<string, readonly BadValue[]>> = {
  namespaceId: NAMESPACE,
  groupName: GROUP,
  serviceName: SERVICE,
  dom: SERVICE,
  ip: refusedAs("ip", { "white space": "10.0.0.1 x", "too long": "x".repeat(129), megabyte: MEGABYTE }),
  port: refusedAs("port", {
    "no number": "http",
    negative: "-1",
    "too large": "65536",
    fraction: "80.5",
    megabyte: MEGABYTE,
    digits: "8".repeat(1_000_000),
  }),
  clusterName: CLUSTER,
  cluster: CLUSTER,
  "GET /instance clusterName": clusterFilter(isMissed),
  "GET /instance/why clusterName": clusterFilter(({ answer, expect }) => {
    expect(parseBody(answer)).toMatchObject({ state: "unknown", events: [] });
  }),
  ...Object.fromEntries(
    ["clusterName", "cluster"].map((name) => [
      `DELETE /instance ${name}`,
      clusterFilter(({ answer, expect }) => {
        expect([answer.body, answer.headers.get("nacre-removed")]).toEqual(["ok", "0"]);
      }),
    ]),
  ),
  weight: WEIGHT,
  enabled: legal(isDisabled, "maybe"),
  enable: legal(isDisabled, "maybe"),
  healthy: legal(isUnhealthy, "maybe"),
  valid: legal(isUnhealthy, "maybe"),
  // It is false, so the service's kind refuses it.
  ephemeral: ["maybe", MEGABYTE].map((value) => ({
    name: value.slice(0, 12),
    value,
    refusal: "can't register persistent instance",
  })),
  metadata: METADATA,
  view: legal(async ({ answer, world, expect }) => {
    const plain = await sendNaming("GET", "/instance", {
      query: { serviceName: world.serviceName, ...HEALTHY },
    });
    expect(answer.body).toBe(plain.body);
  }, "sideways"),
  field: refusedAs("field", {
    "no field": "health",
    "a name of JavaScript's": "constructor",
    megabyte: MEGABYTE,
  }),
  clusters: [
    {
      name: "a cluster that cannot be",
      value: "a b",
      effect: ({ answer, expect }) => {
        expect(parseBody(answer)).toMatchObject({ clusters: "a b", hosts: [] });
      },
    },
    ...refusedAs("clusters", { megabyte: MEGABYTE }),
  ],
  healthyOnly: legal(({ answer, expect }) => {
    expect(parseBody(answer)).toMatchObject({ hosts: [{ healthy: true }, { healthy: false }] });
  }, "maybe"),
  udpPort: ["many", "2147483648", "1.5", MEGABYTE].map((value) => ({
    name: value.slice(0, 12),
    value,
    refusal: NACOS_TEXTS.noNumber,
  })),
  beat: [
    ...refusedAs("beat", {
      "no JSON": "beat",
      array: "[]",
      null: "null",
      megabyte: MEGABYTE,
      "metadata that are a text": '{"ip":"a","metadata":"b"}',
    }),
    ...refusedAs("ip", { "a bad ip": '{"ip":"a b"}' }),
    ...refusedAs("port", { "a bad port": '{"ip":"10.0.0.9","port":-1}' }),
    ...refusedAs("cluster", { "a bad cluster": '{"ip":"10.0.0.9","cluster":"a b"}' }),
    { name: "a bad weight", value: '{"ip":"10.0.0.9","weight":-1}', refusal: NACOS_TEXTS.weightRange },
    { name: "a weight that is none", value: '{"ip":"10.0.0.9","weight":"x"}', refusal: NACOS_TEXTS.noNumber },
    ...refusedAs("beat", {
      "too many metadata": JSON.stringify({ ip: "a", metadata: { k: "x".repeat(65_536) } }),
    }),
  ],
  key: [
    ...refusedAs("serviceName", {
      "no group": "orders",
      "a bad service": "g@@a b",
      megabyte: MEGABYTE,
      "half a name": "g@@",
    }),
    ...refusedAs("namespaceId/tenant", { "a bad namespace": "a b##g@@s" }),
    ...refusedAs("group", { "a bad group": "a b@@s" }),
  ],
  instances: refusedAs("instances", {
    "no JSON": "x",
    "no array": "{}",
    "no objects": "[1]",
    "a bad ip": '[{"ip":"a b","port":1}]',
    "no port": '[{"ip":"a"}]',
    megabyte: MEGABYTE,
  }),
  selector: [
    ...refusedAs("selector", { "no JSON": "x", array: "[]", megabyte: MEGABYTE }),
    { name: "an unknown type", value: '{"type":"dice"}', refusal: NACOS_TEXTS.selectorType },
    {
      name: "a bad expression",
      value: '{"type":"label","expression":"x"}',
      refusal: NACOS_TEXTS.selectorExpression,
    },
  ],
  protectThreshold: [
    ...refusedAs("protectThreshold", {
      "no number": "half",
      NaN: "NaN",
      infinite: "1e999",
      megabyte: MEGABYTE,
    }),
    {
      name: "below 0, which acts as 0",
      value: "-1",
      effect: ({ answer, expect }) => {
        expect(answer.body).toBe("ok");
      },
    },
  ],
  pageNo: legal(
    ({ answer, world, expect }) => {
      expect(answer.body).toContain(`"${world.serviceName}"`);
    },
    "one",
    "-1",
  ),
  pageSize: [
    ...refusedAs("pageSize", { negative: "-1" }),
    ...legal(({ answer, expect }) => {
      expect(parseBody(answer)).toMatchObject({ doms: [] });
    }, "many"),
  ],
  ...Object.fromEntries(
    ["services", "instances"].flatMap((of) =>
      ["pageNo", "pageSize"].map((name) => [`GET /catalog/${of} ${name}`, refusedAs(name, PAGE, BOUND)]),
    ),
  ),
  "GET /catalog/instances clusterName": clusterFilter(({ answer, expect }) => {
    expect(answer).toMatchObject({ status: 404, body: "cluster a b is not found!" });
  }),
  hasIpCount: refusedAs("hasIpCount", { "no boolean": "maybe", megabyte: MEGABYTE }, BOUND),
  withInstances: refusedAs("withInstances", { "no boolean": "maybe", megabyte: MEGABYTE }, BOUND),
  serviceNameParam: refusedAs("serviceNameParam", PATTERN),
  groupNameParam: refusedAs("groupNameParam", PATTERN),
  // Nacos calls every port `port`; which one was meant stands behind it.
  checkPort: refusedAs("port", {
    "no number": "http",
    negative: "-1",
    "too large": "65536",
    megabyte: MEGABYTE,
  }),
  useInstancePort4Check: legal(async ({ world, expect }) => {
    expect(await show("/catalog/service", world)).toMatchObject({
      clusters: [{ useIPPort4Check: false }, {}],
    });
  }, "maybe"),
  healthChecker: [
    ...refusedAs("healthChecker", {
      "no JSON": "TCP",
      array: "[]",
      "too long": `{"type":"TCP","a":"${"x".repeat(4_096)}"}`,
      megabyte: MEGABYTE,
    }),
    {
      name: "an unknown type, which is NONE",
      value: '{"type":"tcp"}',
      effect: async ({ world, expect }) => {
        expect(await show("/service", world)).toMatchObject({
          clusters: [{ healthChecker: { type: "NONE" } }, {}],
        });
      },
    },
  ],
  expr: refusedAs("expr", PATTERN),
  after: refusedAs("after", WHOLE_NUMBER),
  clientId: refusedAs("clientId", {
    "wrong character": "a b",
    "too long": "x".repeat(65),
    megabyte: MEGABYTE,
  }),
  revision: refusedAs("revision", WHOLE_NUMBER),
  waitMillis: refusedAs("waitMillis", { ...WHOLE_NUMBER, "above the range": "30001" }),
  limit: refusedAs("limit", { ...WHOLE_NUMBER, zero: "0", "above the range": "1001" }),
  onlyStatus: legal(({ answer, expect }) => {
    expect(parseBody(answer)).toMatchObject({ status: "UP", serviceCount: expect.any(Number) });
  }, "maybe"),
};
