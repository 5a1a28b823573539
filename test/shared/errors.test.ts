import { test } from "vitest";
import { assert, ERROR_CODES, fail, NacosError, succeed } from "../../shared/errors.ts";

test("W12: a success and a refusal are plain data that survive a copy", ({ expect }) => {
  expect(succeed(null)).toEqual({ ok: true, value: null });
  const refusal = fail("weightInvalid", "no __proto__ \ud800");
  expect(refusal).toEqual({ ok: false, error: { name: "weightInvalid", message: "no __proto__ \ud800" } });
  expect(structuredClone(refusal)).toEqual(refusal);
});

test("W10: the codes of Nacos, and no other, are in the closed list", ({ expect }) => {
  expect(ERROR_CODES).toEqual({
    parameterMissing: 10000,
    parameterInvalid: 20002,
    resourceNotFound: 20004,
    weightInvalid: 21001,
    metadataInvalid: 21002,
    instanceNotFound: 21003,
    instanceInvalid: 21004,
    kindConflict: 21004,
    clusterAmbiguous: 21004,
    healthChecked: 30000,
    selectorInvalid: 21006,
    serviceExists: 21007,
    serviceNotFound: 21008,
    serviceNotEmpty: 21009,
    groupedNameInvalid: 20002,
    noSuchApi: 30000,
    pathUnknown: 30000,
    methodNotAllowed: 30000,
    payloadTooLarge: 20002,
    upgradeRequired: 30000,
    unavailable: 30000,
  });
});

test("W12: a thrown refusal carries its failure, and an error of our own is none", ({ expect }) => {
  const failure = { name: "serviceExists", message: "specified service g@@s already exists!" } as const;
  const thrown = new NacosError(failure);
  expect(thrown).toBeInstanceOf(Error);
  expect({ name: thrown.name, message: thrown.message, failure: thrown.failure }).toEqual({
    name: "NacosError",
    message: failure.message,
    failure,
  });
  expect(() => assert(0, "Expected a number")).toThrow(new Error("Expected a number"));
  expect(() => assert("a", "Expected a text")).not.toThrow();
});
