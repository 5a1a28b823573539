import { test } from "vitest";
import {
  findInstance,
  planClearing,
  planPatch,
  planReplacement,
  type InstanceEdit,
} from "../../../shared/naming/edit.ts";
import type { Result } from "../../../shared/errors.ts";
import type { Change } from "../../../shared/naming/change.ts";
import type { Registration } from "../../../shared/naming/registration.ts";
import { address, lightBeat, metadata, ORIGIN, REF, START, TestService } from "../../support/builders.ts";

const NAMES = { ip: "10.0.0.1", port: 80 };

function service(...registrations: Partial<Registration>[]): TestService {
  const made = new TestService();
  for (const fields of registrations) made.register(fields);
  return made;
}

const put = (on: TestService, edit: InstanceEdit, at = {}): Result<Change | null> =>
  planReplacement(on.state, address(at), edit, on.now, ORIGIN);
const patch = (on: TestService, edit: InstanceEdit, at = {}): Result<Change | null> =>
  planPatch(on.state, address(at), edit, on.now, ORIGIN);
const clear = (on: TestService, field?: "weight" | "enabled" | "metadata", at = {}): Result<Change | null> =>
  planClearing(on.state, address(at), field, on.now, ORIGIN);

const EVERY_EDIT = [
  ["PUT", (on: TestService) => put(on, { weight: 2 })],
  ["PATCH", (on: TestService) => patch(on, { weight: 2 })],
  ["clearing", (on: TestService) => clear(on)],
] as const;

test("O1, E1: an edit writes an override and leaves what was registered", ({ expect }) => {
  const on = service({ weight: 3, metadata: metadata({ a: "1" }) });
  const registered = { weight: 3, enabled: true, metadata: metadata({ a: "1" }) };
  on.put({ weight: 0.005, enabled: false, metadata: metadata({ b: "2" }) });
  const effective = { weight: 0.005, enabled: false, metadata: metadata({ b: "2" }) };
  const override = { ...effective, metadata: { mode: "replace", values: metadata({ b: "2" }) } };
  expect(on.find()).toMatchObject({ registered, override, effective });
  expect(on.changes[1]?.events).toEqual([
    {
      seq: 2,
      time: START,
      type: "override-set",
      address: { ...NAMES, clusterName: "DEFAULT" },
      cause: "test: weight 0.005, disabled, metadata replaced (b)",
      by: "tester",
    },
  ]);
});

test("O1: an override stays over beats, health, and registrations", ({ expect }) => {
  const on = service({});
  on.patch({ weight: 9, enabled: false, metadata: metadata({ a: "1" }) });
  const override = on.find()?.override;
  on.run(10_000).beat(lightBeat());
  expect(on.find()?.override).toEqual(override);
  on.run(15_000);
  expect(on.find()).toMatchObject({ healthy: false, override });
  on.beat(lightBeat());
  expect(on.find()).toMatchObject({ healthy: true, override });
  on.register({ weight: 4, metadata: metadata({ a: "0", b: "2" }) });
  expect(on.find()).toMatchObject({
    override,
    registered: { weight: 4 },
    effective: { weight: 9, enabled: false, metadata: metadata({ a: "1", b: "2" }) },
  });
});

test("O9: no edit changes health, kind, cluster, slot, id or lease", ({ expect }) => {
  const on = service({ healthy: false });
  const { healthy, ephemeral, clusterName, slot, instanceId, lastBeat } = on.find() ?? {};
  on.now += 10_000;
  on.put({ weight: 2 });
  on.patch({ enabled: false, metadata: metadata({ a: "1" }) });
  on.commit(unwrap(clear(on)));
  expect(on.find()).toMatchObject({ healthy, ephemeral, clusterName, slot, instanceId, lastBeat });
});

function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message);
}

test.for(EVERY_EDIT)("V1, I3: %s that changes nothing is no change", ([, edit], { expect }) => {
  const on = service({});
  on.commit(unwrap(edit(on)));
  expect(edit(on)).toEqual({ ok: true, value: null });
  expect(put(service({}), { weight: 1 })).not.toEqual({ ok: true, value: null });
  expect(patch(service({}), {})).toEqual({ ok: true, value: null });
});

test("O3: a PATCH of empty metadata stores nothing", ({ expect }) => {
  const on = service({});
  on.patch({ metadata: metadata({}) });
  expect(on.find()?.override).toBeNull();
});

test("O3: what PATCH took away stays away over later registrations", ({ expect }) => {
  const on = service({ metadata: metadata({ a: "1", b: "2" }) });
  on.patch({ metadata: metadata({ a: null }) });
  expect(on.find()?.effective.metadata).toEqual(metadata({ b: "2" }));
  on.register({ metadata: metadata({ a: "3", c: "4" }) });
  expect(on.find()?.effective.metadata).toEqual(metadata({ c: "4" }));
});

test("O6: without a cluster the one in DEFAULT is meant, else the only one", ({ expect }) => {
  const on = service({ clusterName: "a" });
  on.patch({ weight: 2 });
  on.register();
  on.patch({ weight: 3 });
  const weights = ["a", "DEFAULT"].map((clusterName) => on.find({ clusterName })?.effective.weight);
  expect(weights).toEqual([2, 3]);
});

test.for(EVERY_EDIT)(
  "O6: %s is refused where the address stands in several others",
  ([, edit], { expect }) => {
    const on = service({ clusterName: "b" }, { clusterName: "a" }, { clusterName: "DEFAULT", port: 81 });
    const message = "Param 'clusterName' is required: 10.0.0.1:80 stands in the clusters a, b.";
    expect(edit(on)).toEqual({ ok: false, error: { name: "clusterAmbiguous", message } });
  },
);

test("O6, N7: an edit finds IPv6 in any spelling", ({ expect }) => {
  const on = service({ ip: "::1" });
  on.patch({ weight: 2 }, { ip: "[0:0:0:0:0:0:0:1]" });
  expect(on.find({ ip: "::1" })?.effective.weight).toBe(2);
});

const ABSENT: [string, TestService, object][] = [
  ["of an unknown address", service({}), { ip: "10.0.0.9" }],
  ["of an unknown port", service({}), { port: 81 }],
  ["of an unknown cluster", service({}), { clusterName: "a" }],
];

test.for(ABSENT)("O7: PUT %s is ok and stores nothing, PATCH is not found", ([, on, at], { expect }) => {
  expect(put(on, { weight: 2 }, at)).toEqual({ ok: true, value: null });
  const refusal = { ok: false, error: { name: "resourceNotFound", message: "no matched ip found!" } };
  expect([patch(on, { weight: 2 }, at), clear(on, "weight", at)]).toEqual([refusal, refusal]);
});

test("O7: in an empty service PUT is ok, PATCH is not found", ({ expect }) => {
  const on = service({});
  on.deregister();
  expect(put(on, { weight: 2 })).toEqual({ ok: true, value: null });
  const message = "no ips found for cluster DEFAULT in service DEFAULT_GROUP@@orders";
  expect(patch(on, { weight: 2 })).toEqual({ ok: false, error: { name: "resourceNotFound", message } });
});

test("O7: in a service that is not there PUT is refused, PATCH is not found", ({ expect }) => {
  const on = service();
  const message = `service not found, namespace: ${REF.namespaceId}, service: DEFAULT_GROUP@@orders`;
  expect(put(on, { weight: 2 })).toEqual({ ok: false, error: { name: "serviceNotFound", message } });
  expect(patch(on, { weight: 2 })).toMatchObject({ error: { name: "resourceNotFound" } });
});

test("O10: one field of an override can be cleared, then all of it", ({ expect }) => {
  const on = service({ weight: 3 });
  on.patch({ weight: 9, enabled: false });
  on.commit(unwrap(clear(on, "weight")));
  expect(on.find()).toMatchObject({ override: { enabled: false }, effective: { weight: 3, enabled: false } });
  expect(on.find()?.override).toEqual({ enabled: false });
  on.commit(unwrap(clear(on)));
  expect(on.find()).toMatchObject({ override: null, effective: { weight: 3, enabled: true } });
  expect(on.changes.slice(2).flatMap(({ events }) => events)).toMatchObject([
    { type: "override-cleared", cause: "test: weight" },
    { type: "override-cleared", cause: "test: all" },
  ]);
});

test("I8: detail without a cluster shows the one in DEFAULT, else the first in the order of lists", ({
  expect,
}) => {
  const on = service({ clusterName: "b" }, { clusterName: "a" }, { clusterName: "A" });
  const shown = (at = {}): unknown => {
    const found = findInstance(on.state, address(at));
    return found.ok ? found.value.clusterName : found.error;
  };
  expect(shown()).toBe("A");
  expect(shown({ clusterName: "b" })).toBe("b");
  on.register();
  expect(shown()).toBe("DEFAULT");
  const unmatched = { name: "resourceNotFound", message: "no matched ip found!" };
  expect([shown({ clusterName: "c" }), shown({ port: 81 })]).toEqual([unmatched, unmatched]);
  on.deregister();
  for (const clusterName of ["DEFAULT", "c"]) {
    expect(shown({ clusterName })).toEqual({
      name: "resourceNotFound",
      message: `no ips found for cluster ${clusterName} in service DEFAULT_GROUP@@orders`,
    });
  }
});
