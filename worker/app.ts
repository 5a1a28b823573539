import { TEXT_HEADERS } from "../shared/headers.ts";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { NacosError, type Failure } from "../shared/errors.ts";
import { encodeFailure } from "./codecs/nacos-v1.ts";
import type { AppEnv } from "./env.ts";
import { logFault } from "../durable-objects/log.ts";
import { consoleRoutes } from "./routes/console/server.ts";
import { catalogueRoutes } from "./routes/v1/catalogue.ts";
import { clusterRoutes } from "./routes/v1/cluster.ts";
import { insightRoutes } from "./routes/v1/insight.ts";
import { instanceRoutes } from "./routes/v1/instance.ts";
import { instanceBatchRoutes } from "./routes/v1/instance-batch.ts";
import { operatorRoutes } from "./routes/v1/operator.ts";
import { sessionRoutes } from "./routes/v1/session.ts";
import { serviceRoutes } from "./routes/v1/service.ts";
import { serviceListRoutes } from "./routes/v1/service-list.ts";

/** The apps of `/v1/ns`, one for each resource. */
export const NAMING_ROUTES = [
  instanceRoutes,
  instanceBatchRoutes,
  insightRoutes,
  serviceRoutes,
  serviceListRoutes,
  clusterRoutes,
  catalogueRoutes,
  operatorRoutes,
  sessionRoutes,
] as const;

/** Nacos's context path; every path works with and without it. */
const CONTEXT_PATHS = ["/nacos", ""] as const;
const NAMING_PATH = "/v1/ns";
const CONSOLE_PATH = "/v1/console";

/** Builds the HTTP side: every API family under both context paths, and what is answered when a request fits none. */
export function createApp(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ strict: false });
  for (const context of CONTEXT_PATHS) {
    for (const routes of NAMING_ROUTES) app.route(context + NAMING_PATH, routes);
    app.route(context + CONSOLE_PATH, consoleRoutes);
  }
  app.notFound((c) => encodeFailure(unknownPath(c), c.req.path, Date.now()));
  app.onError((error, c) => {
    if (error instanceof NacosError) return encodeFailure(error.failure, c.req.path, Date.now());
    if (isOverloaded(error)) return encodeFailure(OVERLOADED, c.req.path, Date.now());
    const request = crypto.randomUUID();
    logFault("request-failed", error, { request, method: c.req.method, path: c.req.path });
    return new Response(`The registry could not answer (request ${request}).`, {
      status: 500,
      headers: TEXT_HEADERS,
    });
  });
  return app;
}

const OVERLOADED: Failure = {
  name: "unavailable",
  message: "The service has more requests than its object can take, please try again later!",
};

/** What the platform says when an object has too many requests: not to be repeated at once. */
function isOverloaded(error: Error): boolean {
  return "overloaded" in error && error.overloaded === true;
}

/** A path without Nacos's context path and without its trailing slash. */
function barePath(path: string): string {
  const bare = path.startsWith("/nacos/") ? path.slice("/nacos".length) : path;
  return bare.length > 1 && bare.endsWith("/") ? bare.slice(0, -1) : bare;
}

/** The paths outside `/v1/ns` that there are, for telling a wrong method from a wrong path. */
const OTHER_PATHS: ReadonlySet<string> = new Set(consoleRoutes.routes.map(({ path }) => CONSOLE_PATH + path));

/** What Nacos says where there is nothing: 501 under `/v1/ns`, whatever the method; elsewhere 405 or 404. */
function unknownPath(c: Context<AppEnv>): Failure {
  const { method, path } = c.req;
  const bare = barePath(path);
  if (bare === NAMING_PATH || bare.startsWith(`${NAMING_PATH}/`)) {
    return { name: "noSuchApi", message: `no such api:${method}:${path}` };
  }
  if (OTHER_PATHS.has(bare))
    return { name: "methodNotAllowed", message: `Method '${method}' is not supported.` };
  return { name: "pathUnknown", message: "No message available" };
}
