import { OpenAPIHono } from "@hono/zod-openapi";
import { refuse } from "../../../shared/errors.ts";
import { groupedName } from "../../../shared/naming/service-ref.ts";
import {
  CreateServiceSchema,
  NamedServiceSchema,
  UpdateServiceSchema,
} from "../../../shared/schemas/nacos-v1.ts";
import { expectOk, jsonBody, okText } from "../../codecs/nacos-v1.ts";
import { originOf } from "../../codecs/origin.ts";
import { decodeSettings, encodeService } from "../../codecs/service-settings.ts";
import { decodeServiceRef, MISSING_SERVICE } from "../../codecs/service-ref.ts";
import type { AppEnv } from "../../env.ts";
import { callService, writeService } from "../../service-call.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/service`: services made, edited and deleted by hand. */
export const serviceRoutes = new OpenAPIHono<AppEnv>();

addRoute(
  serviceRoutes,
  {
    method: "post",
    path: "/service",
    summary: "Make a service; it takes the kind of its first instance and stays when it is empty",
    parameters: CreateServiceSchema,
    answer: "`ok`",
  },
  (parameters) => decodeServiceRef(parameters, MISSING_SERVICE),
  async (c, ref, input) => {
    const [settings, origin] = [decodeSettings(input), originOf(c, "POST /service")];
    expectOk(await writeService(c.env, ref, async (stub) => stub.createService(ref, settings, origin)));
    return okText();
  },
);

addRoute(
  serviceRoutes,
  {
    method: "put",
    path: "/service",
    summary: "Replace a service's settings; what is left out goes back to its default",
    parameters: UpdateServiceSchema,
    answer: "`ok`",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const [settings, origin] = [decodeSettings(input), originOf(c, "PUT /service")];
    expectOk(await writeService(c.env, ref, async (stub) => stub.updateService(ref, settings, origin)));
    return okText();
  },
);

addRoute(
  serviceRoutes,
  {
    method: "delete",
    path: "/service",
    summary: "Delete a service that has no instance",
    parameters: NamedServiceSchema,
    answer: "`ok`",
  },
  (parameters) => decodeServiceRef(parameters, MISSING_SERVICE),
  async (c, ref) => {
    const origin = originOf(c, "DELETE /service");
    expectOk(await writeService(c.env, ref, async (stub) => stub.deleteService(ref, origin)));
    return okText();
  },
);

addRoute(
  serviceRoutes,
  {
    method: "get",
    path: "/service",
    summary: "A service's settings, and its clusters that have instances",
    parameters: NamedServiceSchema,
    answer: "The service; its name stands without the group",
  },
  (parameters) => decodeServiceRef(parameters, MISSING_SERVICE),
  async (c, ref) => {
    const service = await callService(c.env, ref, async (stub) => stub.getService(ref));
    if (service !== null) return jsonBody(encodeService(ref, service));
    const message = `service not found, namespace: ${ref.namespaceId}, serviceName: ${groupedName(ref)}`;
    return refuse("serviceNotFound", message);
  },
);
