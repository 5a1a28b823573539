import type { Result } from "../../shared/errors.ts";
import { planClusterUpdate } from "../../shared/naming/cluster.ts";
import type { Checkpoint } from "../../shared/naming/lease-storage.ts";
import type { Metadata } from "../../shared/naming/metadata.ts";
import type { EventQuery } from "../../shared/store.ts";
import { metadata, ORIGIN, type TestService } from "./builders.ts";

/** A time of our days, so that snowflake ids are as long as they get. */
export const NOW = 1_800_000_000_000;
export const DAY = 24 * 3_600_000;
const ODD_METADATA: Record<string, string> = JSON.parse(
  '{"__proto__":"a","constructor":"b","机房":"上海 🐚","empty":""}',
);
const ODD: Metadata = metadata(ODD_METADATA);

type Build = (service: TestService) => unknown;
const SNOWFLAKE = { "preserved.instance.id.generator": "snowflake" };
const ODD_INSTANCE = {
  ip: "fe80::1%eth0",
  port: 0,
  clusterName: "constructor",
  weight: 0.005,
  healthy: false,
};
const ODD_SETTINGS = {
  protectThreshold: 0.005,
  metadata: ODD,
  selector: { type: "label", expression: "CONSUMER.label.A=PROVIDER.label.A", labels: ["A"] },
} as const;

/** What is stored, and how it comes to be, on a service with one instance. */
export const STORED: [string, Build][] = [
  ["an instance with defaults", () => null],
  ["an instance with odd values", (to) => to.register({ ...ODD_INSTANCE, metadata: ODD })],
  ["a disabled instance", (to) => to.register({ enabled: false, weight: 10_000, port: 65_535 })],
  ["a snowflake id", (to) => to.register({ metadata: metadata(SNOWFLAKE) })],
  ["one address in two clusters", (to) => to.register({ clusterName: "__proto__" })],
  ["a replacing override", (to) => to.put({ weight: 0.005, enabled: false, metadata: ODD })],
  ["an override that replaces by nothing", (to) => to.put({ metadata: metadata({}) })],
  ["a merging override", (to) => to.patch({ metadata: metadata({ ...ODD_METADATA, a: null, 隐藏: null }) })],
  ["an override of the weight alone", (to) => to.patch({ weight: 0 })],
  ["an override that waits", (to) => (to.patch({ metadata: metadata({ x: null, y: "z" }) }), to.run(30_000))],
  ["an override that waited", (to) => (to.patch({ weight: 2 }), to.run(30_000), to.register())],
  ["settings with a selector", (to) => to.configure(ODD_SETTINGS)],
  ["settings of clusters", (to) => ["DEFAULT", "__proto__"].map((name) => configureCluster(to, name))],
  ["a protected service", (to) => (to.configure({ protectThreshold: 1 }), to.run(15_000))],
  ["an empty service", (to) => to.deregister()],
  ["a service of the other kind", (to) => (to.deregister(), to.register({ ephemeral: false }))],
];

export function unwrapped<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message);
}

/** Gives a cluster settings of which nothing is the default. */
export function configureCluster(service: TestService, name: string): void {
  const healthChecker = { type: "MYSQL", user: "u", pwd: "geheim", cmd: "SELECT 1" } as const;
  const settings = {
    healthChecker,
    checkPort: 8_080,
    usesInstancePort: false,
    metadata: ODD,
  };
  service.commit(unwrapped(planClusterUpdate(service.state, name, settings, service.now, ORIGIN)));
}

export const CHECKPOINTS: [string, Checkpoint][] = [
  [
    "an exact checkpoint",
    {
      at: NOW,
      isExact: true,
      lastBeats: new Map([
        [1, NOW],
        [2, NOW - 29_999],
      ]),
    },
  ],
  ["an inexact checkpoint", { at: NOW, isExact: false, lastBeats: new Map([[2, NOW - 20 * DAY]]) }],
  ["a checkpoint of nobody", { at: NOW, isExact: false, lastBeats: new Map() }],
];

const FIRST = { ip: "10.0.0.1", port: 80 };
export const QUERIES: [string, Partial<EventQuery>, number[]][] = [
  ["come newest first", {}, [5, 4, 3, 2, 1]],
  ["come after a seq", { after: 3 }, [5, 4]],
  ["after the last one are none", { after: 5 }, []],
  ["are as many as asked for, the newest", { limit: 2 }, [5, 4]],
  ["after a seq, as many as asked for", { after: 1, limit: 2 }, [5, 4]],
  ["of an address are those of every cluster", { address: { ...FIRST, clusterName: null } }, [5, 2, 1]],
  ["of an address in a cluster are its own", { address: { ...FIRST, clusterName: "a" } }, [5, 1]],
  ["of another port are its own", { address: { ...FIRST, port: 81, clusterName: null } }, [3]],
  [
    "of an address are limited after they are found",
    { limit: 1, address: { ...FIRST, clusterName: "b" } },
    [2],
  ],
  ["of a stranger are none", { address: { ...FIRST, ip: "10.0.0.2", clusterName: null } }, []],
];
