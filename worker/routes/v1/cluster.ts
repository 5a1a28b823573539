import { OpenAPIHono } from "@hono/zod-openapi";
import { refuse } from "../../../shared/errors.ts";
import {
  NamedClusterSchema,
  SetHealthSchema,
  UpdateClusterSchema,
} from "../../../shared/schemas/nacos-v1.ts";
import { decode } from "../../codecs/decode.ts";
import { decodeAddress, expectOk, okText } from "../../codecs/nacos-v1.ts";
import { originOf } from "../../codecs/origin.ts";
import { decodeServiceRef } from "../../codecs/service-ref.ts";
import { decodeClusterSettings } from "../../codecs/service-settings.ts";
import type { AppEnv } from "../../env.ts";
import { writeService } from "../../service-call.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/cluster` and `/v1/ns/health`: how persistent instances are judged. */
export const clusterRoutes = new OpenAPIHono<AppEnv>();

addRoute(
  clusterRoutes,
  {
    method: "put",
    path: "/cluster",
    summary: "Replace the settings of a cluster, which need not have an instance",
    parameters: UpdateClusterSchema.extend(NamedClusterSchema.shape),
    answer: "`ok`",
  },
  (parameters) => {
    const { clusterName } = decode(NamedClusterSchema, parameters);
    return { clusterName, ref: decodeServiceRef(parameters) };
  },
  async (c, { clusterName, ref }, input) => {
    const [settings, origin] = [decodeClusterSettings(input), originOf(c, "PUT /cluster")];
    expectOk(
      await writeService(c.env, ref, async (stub) => stub.updateCluster(ref, clusterName, settings, origin)),
    );
    return okText();
  },
);

for (const path of ["/health", "/health/instance"]) {
  addRoute(
    clusterRoutes,
    {
      method: "put",
      path,
      summary: "Set the health of a persistent instance in a cluster whose checker is NONE",
      parameters: SetHealthSchema,
      answer: "`ok`, also for an instance that is not there",
    },
    (parameters) => {
      if ((parameters.get("healthy") ?? parameters.get("valid")) === undefined)
        refuse("parameterMissing", "Param 'healthy' is required.");
      return decodeServiceRef(parameters);
    },
    async (c, ref, input) => {
      const healthy = input.healthy ?? input.valid ?? false;
      const [address, origin] = [decodeAddress(input), originOf(c, `PUT ${path}`)];
      expectOk(await writeService(c.env, ref, async (stub) => stub.setHealth(ref, address, healthy, origin)));
      return okText();
    },
  );
}
