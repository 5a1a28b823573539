import { OpenAPIHono } from "@hono/zod-openapi";
import { MetricsSchema } from "../../../shared/schemas/nacos-v1.ts";
import { registryTotals } from "../../catalogue.ts";
import { jsonBody } from "../../codecs/nacos-v1.ts";
import type { AppEnv } from "../../env.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/operator`: so far the status, which Java and Node clients take for the health of the server. */
export const operatorRoutes = new OpenAPIHono<AppEnv>();

for (const path of ["/operator/metrics", "/ops/metrics"]) {
  addRoute(
    operatorRoutes,
    {
      method: "get",
      path,
      summary: "The status of the registry; with `onlyStatus=false` also how much it holds",
      parameters: MetricsSchema,
      answer: '`{"status":"UP"}`, and counts if they are asked for',
    },
    () => null,
    async (c, _prepared, input) => {
      if (input.onlyStatus ?? true) return jsonBody({ status: "UP" });
      const { services, instances } = await registryTotals(c.env);
      return jsonBody({ status: "UP", serviceCount: services, instanceCount: instances });
    },
  );
}
