import { OpenAPIHono } from "@hono/zod-openapi";
import { refuse } from "../../../shared/errors.ts";
import { OpenSessionSchema } from "../../../shared/schemas/push.ts";
import { callerOf } from "../../codecs/origin.ts";
import { decodeNamespace } from "../../codecs/service-ref.ts";
import { readSettings, type AppEnv } from "../../env.ts";
import { placeSession, sessionStub } from "../../session-place.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/session`: the socket of a client. */
export const sessionRoutes = new OpenAPIHono<AppEnv>();

addRoute(
  sessionRoutes,
  {
    method: "get",
    path: "/session",
    summary: "Open a session: a WebSocket over which changes are pushed and instances are published",
    parameters: OpenSessionSchema,
    answer: "Status 101, then the frames of docs/push-protocol.md",
  },
  decodeNamespace,
  async (c, namespaceId, { clientId = crypto.randomUUID() }) => {
    const { headers, cf } = c.req.raw;
    if (headers.get("upgrade")?.toLowerCase() !== "websocket")
      refuse("upgradeRequired", "This path opens a WebSocket: send the header 'Upgrade: websocket'.");
    const place = placeSession(namespaceId, clientId, cf?.["continent"], readSettings(c.env).SESSION_SHARDS);
    const { stub, name } = sessionStub(c.env, place);
    const inside = new URLSearchParams({ object: name, caller: callerOf(c) });
    return stub.fetch(new Request(`http://session/?${inside.toString()}`, c.req.raw));
  },
);
