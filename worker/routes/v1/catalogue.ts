import { OpenAPIHono } from "@hono/zod-openapi";
import { refuse } from "../../../shared/errors.ts";
import { hostView } from "../../../shared/naming/list-body.ts";
import { groupedName } from "../../../shared/naming/service-ref.ts";
import {
  CatalogueInstancesSchema,
  CatalogueServicesSchema,
  NamedServiceSchema,
} from "../../../shared/schemas/nacos-v1.ts";
import { allServices } from "../../catalogue.ts";
import { encodeCatalogueEntry, encodeServiceWithInstances, pageOf } from "../../codecs/catalogue.ts";
import { jsonBody } from "../../codecs/nacos-v1.ts";
import { compilePattern } from "../../codecs/pattern.ts";
import { decodeNamespace, decodeServiceRef, MISSING_SERVICE } from "../../codecs/service-ref.ts";
import { encodeCatalogueService } from "../../codecs/service-settings.ts";
import type { AppEnv } from "../../env.ts";
import { callService } from "../../service-call.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/catalog`: what consoles show. Health is the real one. */
export const catalogueRoutes = new OpenAPIHono<AppEnv>();

function refuseUnknown(what: string): never {
  return refuse("resourceNotFound", `${what} is not found!`);
}

addRoute(
  catalogueRoutes,
  {
    method: "get",
    path: "/catalog/services",
    summary: "A page of the services of a namespace with their counts, searched by pattern",
    parameters: CatalogueServicesSchema,
    answer: "`count` of all matches and the page; with `withInstances=true` a bare array with all instances",
  },
  decodeNamespace,
  async (c, namespaceId, input) => {
    const matchesName = compilePattern("serviceNameParam", input.serviceNameParam);
    const matchesGroup = compilePattern("groupNameParam", input.groupNameParam);
    const found = (await allServices(c.env, namespaceId)).filter(
      ({ ref, ipCount }) =>
        matchesName(ref.serviceName) &&
        matchesGroup(ref.groupName) &&
        (input.hasIpCount !== true || ipCount > 0),
    );
    const page = pageOf(found, input.pageNo, input.pageSize);
    if (input.withInstances !== true) {
      return jsonBody({ count: found.length, serviceList: page.map(encodeCatalogueEntry) });
    }
    const services = page.map(async ({ ref }) => {
      const [instances, view] = await callService(c.env, ref, (stub) =>
        Promise.all([stub.getInstances(ref), stub.getService(ref)]),
      );
      return encodeServiceWithInstances(ref, view, instances);
    });
    return jsonBody(await Promise.all(services));
  },
);

addRoute(
  catalogueRoutes,
  {
    method: "get",
    path: "/catalog/service",
    summary: "A service with the settings of its clusters",
    parameters: NamedServiceSchema,
    answer: "The service and its clusters that have instances",
  },
  (parameters) => decodeServiceRef(parameters, MISSING_SERVICE),
  async (c, ref) => {
    const view = await callService(c.env, ref, async (stub) => stub.getService(ref));
    return view === null
      ? refuseUnknown(`service ${groupedName(ref)}`)
      : jsonBody(encodeCatalogueService(ref, view));
  },
);

addRoute(
  catalogueRoutes,
  {
    method: "get",
    path: "/catalog/instances",
    summary: "A page of the instances of a cluster, disabled and unhealthy ones too",
    parameters: CatalogueInstancesSchema,
    answer: "`count` of all and the page",
  },
  (parameters) => decodeServiceRef(parameters, MISSING_SERVICE),
  async (c, ref, input) => {
    const all = await callService(c.env, ref, async (stub) => stub.getInstances(ref));
    const exists =
      all.length > 0 || (await callService(c.env, ref, async (stub) => stub.getService(ref))) !== null;
    if (!exists) return refuseUnknown(`service ${groupedName(ref)}`);
    const found = all.filter(({ clusterName }) => clusterName === input.clusterName);
    if (found.length === 0) return refuseUnknown(`cluster ${input.clusterName}`);
    const offset = (input.pageNo - 1) * input.pageSize;
    const page = input.pageNo < 1 ? [] : found.slice(offset, offset + Math.max(0, input.pageSize));
    return jsonBody({
      list: page.map((instance) => hostView(ref, instance, instance.healthy)),
      count: found.length,
    });
  },
);
