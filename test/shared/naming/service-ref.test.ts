import { test } from "vitest";
import { groupedName, serviceObjectName, splitGroupedName } from "../../../shared/naming/service-ref.ts";

test.for<[name: string, sent: string, groupName: string, serviceName: string]>([
  ["both names", "g@@s", "g", "s"],
  ["a second @@, which is of the service", "g@@s@@t", "g", "s@@t"],
  ["three @", "g@@@s", "g", "@s"],
  ["no group", "@@s", "", "s"],
  ["no service", "g@@", "g", ""],
  ["neither", "@@", "", ""],
  ["names of every object", "__proto__@@constructor", "__proto__", "constructor"],
])("N3: a grouped name with %s is split at its first @@", ([, sent, groupName, serviceName], { expect }) => {
  expect(splitGroupedName(sent)).toEqual({ groupName, serviceName });
  expect(groupedName({ groupName, serviceName })).toBe(sent);
});

test.for(["", "s", "@", "g@s", "g@s@t", "\ud800"])("N3: %j is no grouped name", (sent, { expect }) => {
  expect(splitGroupedName(sent)).toBeNull();
});

test("N12: no two services share an object", ({ expect }) => {
  const refs = [
    { namespaceId: "public", groupName: "g", serviceName: "s" },
    { namespaceId: "Public", groupName: "g", serviceName: "s" },
    { namespaceId: "public", groupName: "g", serviceName: "g@s" },
    { namespaceId: "public", groupName: "g", serviceName: "public##g" },
    { namespaceId: "public", groupName: "constructor", serviceName: "__proto__" },
    { namespaceId: "__proto__", groupName: "constructor", serviceName: "__proto__" },
    { namespaceId: "p", groupName: "g", serviceName: "#g@s" },
  ];
  expect(serviceObjectName({ namespaceId: "public", groupName: "g", serviceName: "s" })).toBe("public##g@@s");
  expect(new Set(refs.map(serviceObjectName)).size).toBe(refs.length);
});
