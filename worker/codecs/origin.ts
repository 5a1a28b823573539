import type { Context } from "hono";
import type { Origin } from "../../shared/naming/registration.ts";
import type { AppEnv } from "../env.ts";

const MAX_CALLER_LENGTH = 160;

/** Who sends a request, as events tell it: the address that Cloudflare saw, and the client as it names itself. */
export function callerOf(c: Context<AppEnv>): string {
  const { headers } = c.req.raw;
  const agent = headers.get("user-agent") ?? "a client without User-Agent";
  const address = headers.get("cf-connecting-ip");
  return (address === null ? agent : `${address} ${agent}`).slice(0, MAX_CALLER_LENGTH);
}

/** The origin of a change that a request makes; its cause is method and path as the API names them. */
export function originOf(c: Context<AppEnv>, cause: string): Origin {
  return { by: callerOf(c), cause };
}
