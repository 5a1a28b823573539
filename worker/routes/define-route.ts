import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { z } from "zod";
import { decode } from "../codecs/decode.ts";
import { readParameters, type Parameters } from "../codecs/parameters.ts";
import type { AppEnv } from "../env.ts";

/** One endpoint: what it is called, what it takes, and what it is for. The OpenAPI document is made of these. */
export interface RouteSpec<S extends z.ZodObject> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  readonly summary: string;
  /** Travel in the query or, but for GET, in a form body. */
  readonly parameters: S;
  /** What a good answer holds, in words. */
  readonly answer: string;
}

/** An app of one API family. */
export type RouteApp = OpenAPIHono<AppEnv>;

/**
 * Adds an endpoint to an app and to its OpenAPI registry. `prepare` runs before the schema is looked at, for what is judged
 * first: the name of the service.
 */
export function addRoute<S extends z.ZodObject, P>(
  app: RouteApp,
  spec: RouteSpec<S>,
  prepare: (parameters: Parameters) => P,
  handle: (c: Context<AppEnv>, prepared: P, input: z.output<S>) => Response | Promise<Response>,
): void {
  app.openAPIRegistry.registerPath({
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    request: { query: spec.parameters },
    responses: { 200: { description: spec.answer } },
  });
  app.on(spec.method, [spec.path], async (c) => {
    const parameters = await readParameters(c);
    return handle(c, prepare(parameters), decode(spec.parameters, parameters));
  });
}
