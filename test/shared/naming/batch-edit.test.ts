import { test } from "vitest";
import { batchKindWord, planBatchEdit } from "../../../shared/naming/edit.ts";
import type { Instance, NamedAddress } from "../../../shared/naming/instance.ts";
import { address, metadata, ORIGIN, START, TestService } from "../../support/builders.ts";

/** Three instances, registered against the order of lists; 10.0.0.1:80 stands in two clusters. */
function three(ephemeral = true): TestService {
  const service = new TestService();
  const values = { weight: 3, enabled: false, metadata: metadata({ zone: "a", old: "1" }), ephemeral };
  service.register({ ...values, clusterName: "b" });
  service.register({ ...values, port: 81 });
  service.register(values);
  return service;
}

function places(instances: readonly Instance[]): string[] {
  return instances.map(({ clusterName, port }) => `${clusterName}:${port}`);
}

function edit(
  service: TestService,
  addresses: readonly NamedAddress[] | null,
  entries: Record<string, string | null>,
): string[] {
  const planned = planBatchEdit(service.state, { addresses, metadata: metadata(entries) }, START, ORIGIN);
  if (!planned.ok) throw new Error(planned.error.message);
  service.commit(planned.value.change);
  return places(planned.value.updated);
}

/** Which instances have a key in force. */
function having(service: TestService, key: string): string[] {
  return places([...service.state.instances.values()].filter(({ effective }) => effective.metadata.has(key)));
}

test.for([
  ["null", null],
  ["an empty list", []],
] as const)("O4: %s means every instance, told in the order of lists", ([, addresses], { expect }) => {
  const service = three();
  const all = ["DEFAULT:80", "DEFAULT:81", "b:80"];
  expect(edit(service, addresses, { x: "1" })).toEqual(all);
  expect(having(service, "x").toSorted()).toEqual(all);
  expect(service.state.record.revision).toBe(4);
});

test.for([
  ["with a cluster", [address({ clusterName: "b" })], ["b:80"]],
  ["without a cluster, which means DEFAULT", [address()], ["DEFAULT:80"]],
  ["named twice", [address(), address({ clusterName: "DEFAULT" })], ["DEFAULT:80"]],
  [
    "that exist, while others are passed over",
    [address({ port: 82 }), address({ port: 81 }), address({ clusterName: "c" })],
    ["DEFAULT:81"],
  ],
  ["of which none exists", [address({ ip: "10.0.0.9" })], []],
] as [string, NamedAddress[], string[]][])("O4: instances %s", ([, addresses, updated], { expect }) => {
  const service = three();
  expect(edit(service, addresses, { x: "1" })).toEqual(updated);
  expect(having(service, "x")).toEqual(updated);
});

test("O4, N7: IPv6 is found in any spelling", ({ expect }) => {
  const service = new TestService();
  service.register({ ip: "::1" });
  expect(edit(service, [address({ ip: "[0::1]" })], { x: "1" })).toEqual(["DEFAULT:80"]);
});

test("O4: metadata merge, nulls hide, weight and enabled stay", ({ expect }) => {
  const service = three();
  service.patch({ weight: 7 });
  edit(service, [address()], { x: "1", old: null });
  expect(service.find()).toMatchObject({
    registered: { weight: 3, enabled: false, metadata: metadata({ zone: "a", old: "1" }) },
    effective: { weight: 7, enabled: false, metadata: metadata({ zone: "a", x: "1" }) },
  });
  service.register({ weight: 3, enabled: false, metadata: metadata({ old: "2" }) });
  expect(service.find()?.effective.metadata).toEqual(metadata({ x: "1" }));
});

test("O4, V1, E1: one change, one revision, an event for each instance that changed", ({ expect }) => {
  const service = three();
  edit(service, [address()], { x: "1" });
  edit(service, null, { x: "1" });
  const [, , , first, second] = service.changes;
  expect([first?.events.length, second?.events.length]).toEqual([1, 2]);
  expect(service.state.record.revision).toBe(5);
  expect(edit(service, null, { x: "1" })).toHaveLength(3);
  expect(service.changes).toHaveLength(5);
});

test("O4: in a service that is not there nobody is meant", ({ expect }) => {
  const service = new TestService();
  expect(edit(service, null, { x: "1" })).toEqual([]);
  expect(service.changes).toEqual([]);
});

test("O4: the word for the kind", ({ expect }) => {
  expect([true, false].map((ephemeral) => batchKindWord(three(ephemeral).state))).toEqual([
    "ephemeral",
    "persist",
  ]);
  expect(batchKindWord(new TestService().state)).toBe("ephemeral");
});
