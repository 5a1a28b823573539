import { OpenAPIHono } from "@hono/zod-openapi";
import { refuseIllegal } from "../../../shared/errors.ts";
import { checkGroupName } from "../../../shared/naming/names.ts";
import { DEFAULT_GROUP, groupedName } from "../../../shared/naming/service-ref.ts";
import { ListServicesSchema, ServiceNamesSchema } from "../../../shared/schemas/nacos-v1.ts";
import { allServices, listServices, namespacesInUse } from "../../catalogue.ts";
import { compilePattern } from "../../codecs/pattern.ts";
import { jsonBody } from "../../codecs/nacos-v1.ts";
import { decodeNamespace } from "../../codecs/service-ref.ts";
import type { AppEnv } from "../../env.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/service/list` and `/names`: the catalogue by name. */
export const serviceListRoutes = new OpenAPIHono<AppEnv>();

/** The group that a list asks for; `*` is every one, and then names keep their group (Nacos 1.x). */
const EVERY_GROUP = "*";

addRoute(
  serviceListRoutes,
  {
    method: "get",
    path: "/service/list",
    summary: "A page of the services of a group, in ascending order",
    parameters: ListServicesSchema,
    answer: "`count` of all, and the names on the page",
  },
  decodeNamespace,
  async (c, namespaceId, input) => {
    const { groupName = DEFAULT_GROUP, pageSize } = input;
    refuseIllegal(groupName === EVERY_GROUP ? null : checkGroupName(groupName));
    refuseIllegal(
      pageSize < 0 ? `Param 'pageSize' is illegal, it should not be negative. (current: ${pageSize})` : null,
    );
    const offset = (Math.max(1, input.pageNo) - 1) * pageSize;
    const isEveryGroup = groupName === EVERY_GROUP;
    const query = { groupName: isEveryGroup ? null : groupName, offset, limit: pageSize };
    const { count, entries } = await listServices(c.env, namespaceId, query);
    return jsonBody({
      count,
      doms: entries.map(({ ref }) => (isEveryGroup ? groupedName(ref) : ref.serviceName)),
    });
  },
);

addRoute(
  serviceListRoutes,
  {
    method: "get",
    path: "/service/names",
    summary: "The grouped names of all services, by namespace",
    parameters: ServiceNamesSchema,
    answer: "Names under `services` and, as Nacos 2.2.1 and newer call it, under `META-INF/services`",
  },
  (parameters) => (parameters.get("namespaceId") === undefined ? null : decodeNamespace(parameters)),
  async (c, namespaceId, input) => {
    const matches = compilePattern("expr", input.expr);
    const asked = namespaceId === null ? await namespacesInUse(c.env) : [namespaceId];
    const found = await Promise.all(
      asked.map(async (id) => {
        const names = (await allServices(c.env, id)).map(({ ref }) => groupedName(ref));
        return [id, names.filter(matches)] as const;
      }),
    );
    const named = found.filter(([id, names]) => id === namespaceId || names.length > 0);
    const services = Object.fromEntries(named);
    const count = named.reduce((sum, [, names]) => sum + names.length, 0);
    return jsonBody({ services, "META-INF/services": services, count });
  },
);
