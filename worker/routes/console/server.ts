import { TEXT_HEADERS } from "../../../shared/headers.ts";
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { VERSION } from "../../../shared/version.ts";
import { jsonBody } from "../../codecs/nacos-v1.ts";
import { readSettings, type AppEnv } from "../../env.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/console`: health probes and the state of the server. */
export const consoleRoutes = new OpenAPIHono<AppEnv>();

for (const probe of ["liveness", "readiness"]) {
  addRoute(
    consoleRoutes,
    {
      method: "get",
      path: `/health/${probe}`,
      summary: `The ${probe} probe of Kubernetes`,
      parameters: z.object({}),
      answer: "`OK`",
    },
    () => null,
    () => new Response("OK", { headers: TEXT_HEADERS }),
  );
}

addRoute(
  consoleRoutes,
  {
    method: "get",
    path: "/server/state",
    summary: "What kind of server this is; all values are texts, as Nacos's are",
    parameters: z.object({}),
    answer: "The keys of Nacos 2.x that consoles read, and `standalone_mode` of 1.x",
  },
  () => null,
  (c) =>
    jsonBody({
      startup_mode: "standalone",
      standalone_mode: "standalone",
      function_mode: "naming",
      version: VERSION,
      server_port: readSettings(c.env).NACRE_PORT,
      auth_enabled: "false",
      auth_system_type: "nacos",
      auth_admin_request: "false",
      login_page_enabled: "false",
      console_ui_enabled: "false",
    }),
);
