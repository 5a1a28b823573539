import type { z } from "zod";
import { ERROR_CODES, refuse, type ErrorName } from "../../shared/errors.ts";
import type { Parameters } from "./parameters.ts";

function isErrorName(value: unknown): value is ErrorName {
  return typeof value === "string" && value in ERROR_CODES;
}

/**
 * Reads the parameters that a schema names. Throws a `NacosError` for the first one that is refused, in the order
 * of the schema.
 */
export function decode<S extends z.ZodObject>(schema: S, parameters: Parameters): z.output<S> {
  const sent: Record<string, string> = {};
  for (const name in schema.shape) {
    const value = parameters.get(name);
    if (value !== undefined) sent[name] = value;
  }
  return parseSent(schema, sent);
}

/** Parses texts by a schema; throws as {@link decode} does. */
export function parseSent<S extends z.ZodObject>(
  schema: S,
  sent: Readonly<Record<string, unknown>>,
): z.output<S> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const named: unknown = issue?.code === "custom" ? issue.params?.["name"] : undefined;
  const isMissing = issue?.path.length === 1 && !(String(issue.path[0]) in sent);
  return refuse(
    isErrorName(named) ? named : isMissing ? "parameterMissing" : "parameterInvalid",
    issue?.message ?? "The parameters are illegal.",
  );
}
