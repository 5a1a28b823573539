import { fail, succeed, type Result } from "../errors.ts";
import { parseJsonObject } from "../json.ts";

/** How the persistent instances of a cluster are probed. */
export type HealthChecker =
  | { readonly type: "TCP" }
  | {
      readonly type: "HTTP";
      readonly path: string;
      /** `name:value|name:value` */
      readonly headers: string;
      /** Shown, but never compared, as in Nacos: only 200 is well. */
      readonly expectedResponseCode: number;
    }
  | { readonly type: "MYSQL"; readonly user: string; readonly pwd: string; readonly cmd: string }
  /** No probing; health is set by hand. */
  | { readonly type: "NONE" };

/** TCP on the instance's own port, where nothing was set (Nacos). */
export const DEFAULT_HEALTH_CHECKER: HealthChecker = { type: "TCP" };
const DEFAULT_RESPONSE_CODE = 200;
const MAX_CHECKER_LENGTH = 4_096;

/**
 * Parses the parameter `healthChecker`. An unknown, misspelt or missing type is NONE, in silence, as in Nacos.
 * Refuses with `parameterInvalid` what is no JSON object.
 */
export function parseHealthChecker(text: string): Result<HealthChecker> {
  const value = text.length <= MAX_CHECKER_LENGTH ? parseJsonObject(text) : null;
  if (value === null) {
    const why = `it should be a JSON object of at most ${MAX_CHECKER_LENGTH} characters`;
    return fail("parameterInvalid", `Param 'healthChecker' is illegal, ${why}.`);
  }
  switch (value["type"]) {
    case "TCP":
      return succeed({ type: "TCP" });
    case "HTTP":
      return succeed({
        type: "HTTP",
        path: textOf(value["path"]),
        headers: textOf(value["headers"]),
        expectedResponseCode: statusOf(value["expectedResponseCode"]),
      });
    case "MYSQL":
      return succeed({
        type: "MYSQL",
        user: textOf(value["user"]),
        pwd: textOf(value["pwd"]),
        cmd: textOf(value["cmd"]),
      });
    default:
      return succeed({ type: "NONE" });
  }
}

/** A checker as answers show it: without its password. */
export function publicChecker(checker: HealthChecker): Readonly<Record<string, unknown>> {
  if (checker.type !== "MYSQL") return checker;
  return { type: checker.type, user: checker.user, cmd: checker.cmd };
}

function statusOf(value: unknown): number {
  const status = Number(value ?? DEFAULT_RESPONSE_CODE);
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : DEFAULT_RESPONSE_CODE;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
