import type { ExpectStatic } from "vitest";
import { parseBody, sendNaming, type Answer } from "../support/http.ts";

/** What a case of bad input is tried on: a service with a healthy and an unhealthy instance, and names for two more. */
export interface World {
  readonly serviceName: string;
  /** A service that exists and holds nothing. */
  readonly emptyService: string;
  /** A service that does not exist. */
  readonly newService: string;
}

export const HEALTHY = { ip: "10.0.0.1", port: "80" };
export const UNHEALTHY = { ip: "10.0.0.2", port: "80", clusterName: "b" };

/** What a value that is legal must come to. */
export type Effect = (context: {
  answer: Answer;
  world: World;
  expect: ExpectStatic;
}) => Promise<void> | void;

/** A value, and either the text by which its refusal names the parameter, or what it comes to where it is legal. */
export interface BadValue {
  readonly name: string;
  readonly value: string;
  readonly refusal?: string;
  readonly effect?: Effect;
}

export const MEGABYTE = "x".repeat(1_000_000);

/** The texts of Nacos that name no parameter, each with what it is for. */
export const NACOS_TEXTS = {
  /** A number that is none: `weight`, `udpPort`. */
  noNumber: 'For input string: "',
  weightRange: "instance format invalid: The weights range from 0.0 to 10000.0",
  metadataForm: "metadata format incorrect:",
  selectorType: "not match any type of selector!",
  selectorExpression: "Selector parses failed: parse expression failed!",
} as const;

/** A parameter that is refused by its own name, or by Nacos's word for it. */
export function refusedAs(word: string, rows: Readonly<Record<string, string>>, noun = "Param"): BadValue[] {
  return Object.entries(rows).map(([name, value]) => ({ name, value, refusal: `${noun} '${word}'` }));
}

/** A parameter for which any text is legal, with what it comes to. */
export function legal(effect: Effect, ...values: readonly string[]): BadValue[] {
  return [...values, MEGABYTE].map((value) => ({
    name: `${value.slice(0, 12)}, which is legal`,
    value,
    effect,
  }));
}

export async function show(path: string, { serviceName }: World): Promise<unknown> {
  return parseBody(await sendNaming("GET", path, { query: { serviceName } }));
}

export async function showDetail(world: World): Promise<unknown> {
  const query = { serviceName: world.serviceName, ...HEALTHY, view: "full" };
  return parseBody(await sendNaming("GET", "/instance", { query }));
}

export const isDisabled: Effect = async ({ world, expect }) => {
  expect(await showDetail(world)).toMatchObject({ enabled: false });
};

export const isUnhealthy: Effect = async ({ world, expect }) => {
  expect(await showDetail(world)).toMatchObject({ healthy: false });
};

export const isMissed: Effect = ({ answer, expect }) => {
  expect(answer).toMatchObject({ status: 404, body: "no matched ip found!" });
};

/** Where a cluster only filters, one that cannot be is one that nobody is in. */
export function clusterFilter(effect: Effect): BadValue[] {
  return [
    { name: "a cluster that cannot be", value: "a b", effect },
    ...refusedAs("clusterName", { megabyte: MEGABYTE }),
  ];
}

export const NAMESPACE = refusedAs("namespaceId/tenant", {
  "wrong character": "a.b",
  "too long": "x".repeat(65),
  megabyte: MEGABYTE,
});
export const GROUP = refusedAs("group", {
  "wrong character": "a b",
  "too long": "x".repeat(129),
  megabyte: MEGABYTE,
});
export const SERVICE = refusedAs("serviceName", {
  "wrong character": "a b",
  "too long": "x".repeat(513),
  megabyte: MEGABYTE,
  "half a grouped name": "g@@",
});
export const CLUSTER: BadValue[] = [
  ...refusedAs("cluster", { "wrong character": "a b", "too long": "x".repeat(65), megabyte: MEGABYTE }),
  { name: "an underscore", value: "a_b", refusal: "Instance 'clusterName'" },
];
export const WEIGHT: BadValue[] = [
  { name: "no number", value: "heavy", refusal: NACOS_TEXTS.noNumber },
  { name: "below the range", value: "-1", refusal: NACOS_TEXTS.weightRange },
  { name: "above the range", value: "10001", refusal: NACOS_TEXTS.weightRange },
  { name: "NaN", value: "NaN", refusal: NACOS_TEXTS.weightRange },
  { name: "a megabyte", value: MEGABYTE, refusal: NACOS_TEXTS.noNumber },
  { name: "a megabyte of digits", value: "9".repeat(1_000_000), refusal: NACOS_TEXTS.noNumber },
];
export const METADATA: BadValue[] = [
  { name: "no form of metadata", value: "a", refusal: NACOS_TEXTS.metadataForm },
  { name: "a deep object", value: '{"a":{}}', refusal: NACOS_TEXTS.metadataForm },
  ...refusedAs("Metadata", {
    "1025 characters": `a=${"x".repeat(1_024)}`,
    megabyte: MEGABYTE,
    "many pairs": "a=b,".repeat(100_000),
  }),
];
/** What Nacos's framework binds is a parameter in full. */
export const BOUND = "Parameter";
export const PAGE = { "no number": "one", fraction: "1.5", "too large": "2147483648", megabyte: MEGABYTE };
export const PATTERN = { "no pattern": "(", "a look-ahead": "(?=a)", megabyte: MEGABYTE };
export const WHOLE_NUMBER = {
  "no number": "many",
  "a fraction": "1.5",
  negative: "-1",
  "too large": "9007199254740993",
  megabyte: MEGABYTE,
};
