import { test } from "vitest";
import type { InstanceAddress } from "../../../shared/naming/instance.ts";
import { allInstances, parseClusters, selectInstances } from "../../../shared/naming/selection.ts";
import { TestService } from "../../support/builders.ts";

/** Three clusters: `a` has two of three healthy, `b` none of two, and one disabled in each. */
function mixedService(protectThreshold: number): TestService {
  const service = new TestService();
  for (const [port, healthy] of [true, true, false].entries())
    service.register({ clusterName: "a", port, healthy });
  for (const port of [0, 1]) service.register({ clusterName: "b", port, healthy: false });
  service.register({ clusterName: "a", port: 9, enabled: false, healthy: false });
  service.register({ clusterName: "b", port: 9 });
  service.put({ enabled: false }, { clusterName: "b", port: 9 });
  service.configure({ protectThreshold });
  return service;
}

function names(service: TestService, clusters: readonly string[], healthyOnly: boolean): [string, boolean] {
  const { hosts, isProtected } = selectInstances(service.state, { clusters, healthyOnly });
  return [hosts.map(({ clusterName, port }) => clusterName + port).join(" "), isProtected];
}

const ALL = "a0 a1 a2 b0 b1";
const LISTS: [string, number, string[], boolean, string, boolean][] = [
  ["P6: all without the disabled", 0, [], false, ALL, false],
  ["P1: no threshold, the healthy only", 0, [], true, "a0 a1", false],
  ["P1: above the threshold", 0.39, [], true, "a0 a1", false],
  ["P1: at the threshold", 0.4, [], false, ALL, true],
  ["P2: protection beats healthyOnly", 0.4, [], true, ALL, true],
  ["P2: protection of one cluster is counted over it: above", 0.66, ["a"], true, "a0 a1", false],
  ["P2: protection of one cluster is counted over it: below", 0.67, ["a"], true, "a0 a1 a2", true],
  ["P1: none healthy in the cluster asked for", 0.01, ["b"], true, "b0 b1", true],
  ["P1: none healthy and no threshold", 0, ["b"], true, "", false],
  ["P7: a cluster", 0, ["b"], false, "b0 b1", false],
  ["P7: two clusters, in the order of lists", 0, ["b", "a"], false, ALL, false],
  ["P7: a cluster twice", 0, ["b", "b"], false, "b0 b1", false],
  ["P7: one that is not there adds nothing", 0, ["b", "c"], false, "b0 b1", false],
  ["P7: names are exact", 1, ["A", "a ", ""], false, "", false],
];

test.for(LISTS)("%s", ([, threshold, clusters, healthyOnly, listed, isProtected], { expect }) => {
  expect(names(mixedService(threshold), clusters, healthyOnly)).toEqual([listed, isProtected]);
});

test("P6: where all are disabled nothing is listed and nothing protected", ({ expect }) => {
  const service = new TestService();
  service.register({ enabled: false, healthy: false });
  service.configure({ protectThreshold: 1 });
  expect(names(service, [], false)).toEqual(["", false]);
  expect(service.state.record.protectedSince).toBeNull();
});

test.for([
  ["", []],
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  [",a,,b,", ["a", "b"]],
  [",", []],
  [" a", [" a"]],
  ["__proto__", ["__proto__"]],
] as const)("P7: the clusters '%s'", ([text, parsed], { expect }) => {
  expect(parseClusters(text)).toEqual(parsed);
});

function order(hosts: readonly InstanceAddress[]): unknown[] {
  return hosts.map(({ clusterName, ip, port }) => [clusterName, ip, port]);
}

/** In the order of lists. */
const SORTED: [string, string, number][] = [
  ["DEFAULT", "2.0.0.0", 80],
  ["DEFAULT", "10.0.0.2", 9],
  ["DEFAULT", "10.0.0.2", 80],
  ["DEFAULT", "10.0.0.2", 8_080],
  ["DEFAULT", "10.0.0.10", 1],
  ["DEFAULT", "200.0.0.1", 0],
  ["DEFAULT", "10.0.0.256", 80],
  ["DEFAULT", "::1", 80],
  ["DEFAULT", "Host", 80],
  ["DEFAULT", "host", 80],
  ["DEFAULT", "host-2", 80],
  ["a", "1.1.1.1", 80],
  ["a-10", "1.1.1.1", 80],
  ["a-9", "1.1.1.1", 80],
  ["b", "1.1.1.1", 80],
];

test.for([
  ["as they are", SORTED],
  ["backwards", SORTED.toReversed()],
  ["from the middle", [...SORTED.slice(7), ...SORTED.slice(0, 7)]],
] as const)("P8: hosts that came %s are sorted by cluster, ip and port", ([, came], { expect }) => {
  const service = new TestService();
  for (const [clusterName, ip, port] of came) service.register({ clusterName, ip, port });
  expect(order(selectInstances(service.state, { clusters: [], healthyOnly: false }).hosts)).toEqual(SORTED);
  expect(order(allInstances(service.state))).toEqual(SORTED);
});
