import { z } from "zod";
import { NAMING_ROUTES } from "../../worker/app.ts";
import { consoleRoutes } from "../../worker/routes/console/server.ts";
import { HEALTHY, type World } from "./bad-value-kinds.ts";

/** A route as the OpenAPI registry of its app holds it. */
export interface Route {
  /** As the table of bad values names it. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  readonly required: ReadonlySet<string>;
}

function readRoutes(app: (typeof NAMING_ROUTES)[number], prefix: string): Route[] {
  return app.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== "route") return [];
    const { method, path, request } = definition.route;
    const query = request?.query;
    if (!(query instanceof z.ZodObject)) throw new Error(`Expected ${method} ${path} to name its parameters`);
    const parameters = Object.keys(query.shape);
    const required = parameters.filter((parameter) =>
      isRequired(parameter, query.shape[parameter], parameters),
    );
    return [
      {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: prefix + path,
        parameters,
        required: new Set(required),
      },
    ];
  });
}

/** Old names of parameters: a schema requires neither of the two. */
export const OLD_NAMES: Readonly<Record<string, string>> = { dom: "serviceName", valid: "healthy" };

/** Whether a parameter must be sent: by its schema, or because its route asks for it under one of two names. */
function isRequired(name: string, schema: unknown, others: readonly string[]): boolean {
  const hasOldName = others.some((other) => OLD_NAMES[other] === name);
  return hasOldName || (schema instanceof z.ZodType && !schema.safeParse(undefined).success);
}

/** Every route that there is. */
export const ROUTES: readonly Route[] = [
  ...NAMING_ROUTES.flatMap((app) => readRoutes(app, "/nacos/v1/ns")),
  ...readRoutes(consoleRoutes, "/nacos/v1/console"),
];

/** A good value of each parameter. */
export const GOOD_VALUES: Readonly<Record<string, (world: World, route: Route) => string>> = {
  namespaceId: () => "public",
  groupName: () => "DEFAULT_GROUP",
  serviceName: subject,
  dom: subject,
  ip: () => HEALTHY.ip,
  port: () => HEALTHY.port,
  clusterName: () => "DEFAULT",
  cluster: () => "DEFAULT",
  weight: () => "2.5",
  enabled: () => "true",
  enable: () => "true",
  healthy: () => "true",
  valid: () => "true",
  ephemeral: () => "true",
  metadata: () => '{"a":"b"}',
  view: () => "full",
  field: () => "weight",
  clusters: () => "DEFAULT,b",
  healthyOnly: () => "true",
  udpPort: () => "0",
  beat: () => '{"ip":"10.0.0.1","port":80}',
  key: (world) => `DEFAULT_GROUP@@${world.serviceName}`,
  instances: () => '[{"ip":"10.0.0.1","port":80}]',
  selector: () => '{"type":"none"}',
  protectThreshold: () => "0",
  pageNo: () => "1",
  pageSize: () => "10000",
  expr: () => "a",
  after: () => "0",
  limit: () => "10",
  onlyStatus: () => "true",
  checkPort: () => "8080",
  useInstancePort4Check: () => "true",
  healthChecker: () => '{"type":"NONE"}',
  serviceNameParam: () => "a",
  groupNameParam: () => "DEFAULT",
  hasIpCount: () => "true",
  withInstances: () => "false",
  clientId: () => "client-1",
  revision: () => "0",
  waitMillis: () => "0",
};

/** Which service a route is for: one that can be made, one that can be deleted, else one with instances. */
function subject(world: World, route: Route): string {
  if (route.name === "POST /service") return world.newService;
  return route.name === "DELETE /service" ? world.emptyService : world.serviceName;
}

/** Parameters that go with every request of a route beside those that it requires. */
export const ALSO_SENT: Readonly<Record<string, readonly string[]>> = {
  "PUT /instance/beat": ["ip", "port"],
};

/** What a route answers a good request with where that is not 200: a session is opened by a WebSocket only. */
export const GOOD_STATUSES: Readonly<Record<string, number>> = { "GET /session": 426 };
