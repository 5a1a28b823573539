import { test } from "vitest";
import { NacosError, type Failure } from "../../../shared/errors.ts";
import { decodeNamespace, decodeServiceRef, MISSING_SERVICE } from "../../../worker/codecs/service-ref.ts";
import { Parameters } from "../../../worker/codecs/parameters.ts";

function parameters(sent: Record<string, string>): Parameters {
  return new Parameters(new Map(Object.entries(sent)));
}

/** The refusal that a call throws. */
function refused(call: () => unknown): Failure | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof NacosError) return error.failure;
    throw error;
  }
}

test.for([
  { name: "a name alone", sent: { serviceName: "s" }, ref: ["public", "DEFAULT_GROUP", "s"] },
  { name: "a group beside it", sent: { serviceName: "s", groupName: "g" }, ref: ["public", "g", "s"] },
  {
    name: "a blank group",
    sent: { serviceName: "s", groupName: " " },
    ref: ["public", "DEFAULT_GROUP", "s"],
  },
  { name: "a grouped name", sent: { serviceName: "g@@s" }, ref: ["public", "g", "s"] },
  {
    name: "a grouped name that wins",
    sent: { serviceName: "g@@s", groupName: "h" },
    ref: ["public", "g", "s"],
  },
  {
    name: "a grouped name that wins over a bad group",
    sent: { serviceName: "g@@s", groupName: "a b" },
    ref: ["public", "g", "s"],
  },
  { name: "dom", sent: { dom: "g@@s" }, ref: ["public", "g", "s"] },
  {
    name: "dom beside serviceName",
    sent: { serviceName: "s", dom: "d" },
    ref: ["public", "DEFAULT_GROUP", "s"],
  },
  {
    name: "dom beside a blank serviceName",
    sent: { serviceName: " ", dom: "d" },
    ref: ["public", "DEFAULT_GROUP", "d"],
  },
  { name: "a namespace", sent: { serviceName: "s", namespaceId: "n" }, ref: ["n", "DEFAULT_GROUP", "s"] },
  { name: "a single @", sent: { serviceName: "a@b" }, ref: ["public", "DEFAULT_GROUP", "a@b"] },
  { name: "blanks around the whole", sent: { serviceName: " g@@s " }, ref: ["public", "g", "s"] },
])("W9: $name", ({ sent, ref: [namespaceId, groupName, serviceName] }, { expect }) => {
  expect(decodeServiceRef(parameters(sent))).toEqual({ namespaceId, groupName, serviceName });
});

test("W2: a missing name is refused in the words of its route", ({ expect }) => {
  for (const sent of [{}, { serviceName: "" }, { serviceName: " ", dom: " " }]) {
    expect(refused(() => decodeServiceRef(parameters(sent)))).toEqual({
      name: "parameterMissing",
      message: "Param 'serviceName' is required.",
    });
    expect(refused(() => decodeServiceRef(parameters(sent), MISSING_SERVICE))).toEqual({
      name: "parameterMissing",
      message: "Parameter 'serviceName' is missing",
    });
  }
});

test.for([
  {
    name: "the service is missing",
    serviceName: "g@@",
    why: "it should be format as 'groupName@@serviceName'",
  },
  { name: "the group is missing", serviceName: "@@s", why: "groupName can't be empty" },
  { name: "both are missing", serviceName: "@@", why: "it should be format as 'groupName@@serviceName'" },
])("W9: half a grouped name, $name", ({ serviceName, why }, { expect }) => {
  expect(refused(() => decodeServiceRef(parameters({ serviceName })))).toEqual({
    name: "groupedNameInvalid",
    message: `Service name filter error,caused: Param 'serviceName' is illegal, ${why};`,
  });
});

test.for([
  { name: "absent", sent: {}, namespaceId: "public" },
  { name: "blank", sent: { namespaceId: " " }, namespaceId: "public" },
  { name: "public", sent: { namespaceId: "public" }, namespaceId: "public" },
  { name: "another", sent: { namespaceId: "n-1" }, namespaceId: "n-1" },
])("W8: a namespace $name", ({ sent, namespaceId }, { expect }) => {
  expect(decodeNamespace(parameters(sent))).toBe(namespaceId);
});

test.for([
  { name: "namespace", sent: { serviceName: "s", namespaceId: "a.b" }, word: "namespaceId/tenant" },
  { name: "group", sent: { serviceName: "s", groupName: "a b" }, word: "group" },
  { name: "grouped group", sent: { serviceName: "a b@@s" }, word: "group" },
  { name: "service", sent: { serviceName: "a b" }, word: "serviceName" },
  { name: "dom", sent: { dom: "a b" }, word: "serviceName" },
])("N6: a bad $name is refused by its word", ({ sent, word }, { expect }) => {
  const failure = refused(() => decodeServiceRef(parameters(sent)));
  expect(failure?.name).toBe("parameterInvalid");
  expect(failure?.message).toMatch(
    new RegExp(`^Param '${word}' is illegal, illegal characters .* at position 2; allowed: `),
  );
});
