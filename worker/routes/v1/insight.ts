import { OpenAPIHono } from "@hono/zod-openapi";
import type { RegistryEvent } from "../../../shared/naming/event.ts";
import {
  ClearOverrideSchema,
  ExplainInstanceSchema,
  ServiceEventsSchema,
} from "../../../shared/schemas/nacos-v1.ts";
import { decodeAddress, expectOk, jsonBody, okText } from "../../codecs/nacos-v1.ts";
import { originOf } from "../../codecs/origin.ts";
import { decodeServiceRef } from "../../codecs/service-ref.ts";
import type { AppEnv } from "../../env.ts";
import { callService, writeService } from "../../service-call.ts";
import { addRoute } from "../define-route.ts";

/** What Nacos does not have: events, why an instance is as it is, and the end of an override. */
export const insightRoutes = new OpenAPIHono<AppEnv>();

const DEFAULT_EVENT_LIMIT = 100;

function encodeEvent(event: RegistryEvent): Record<string, unknown> {
  const { seq, time, type, address, cause, by } = event;
  const { clusterName = null, ip = null, port = null } = address ?? {};
  return { seq, time, type, clusterName, ip, port, cause, by };
}

addRoute(
  insightRoutes,
  {
    method: "get",
    path: "/service/events",
    summary: "What happened to a service and its instances, newest first",
    parameters: ServiceEventsSchema,
    answer: "Events, and in `next` the `after` of a later call",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const { after = 0, limit = DEFAULT_EVENT_LIMIT } = input;
    const page = await callService(c.env, ref, async (stub) => stub.getEvents(ref, after, limit));
    return jsonBody({ events: page.events.map(encodeEvent), next: page.next });
  },
);

addRoute(
  insightRoutes,
  {
    method: "get",
    path: "/instance/why",
    summary: "Why an instance is in the state it is in, or why it left",
    parameters: ExplainInstanceSchema,
    answer: "State, since when, a text, and the last ten events of the instance",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const why = await callService(c.env, ref, async (stub) => stub.explain(ref, decodeAddress(input)));
    return jsonBody({
      state: why.state,
      since: why.since,
      text: why.text,
      events: why.events.map(encodeEvent),
    });
  },
);

addRoute(
  insightRoutes,
  {
    method: "delete",
    path: "/instance/override",
    summary: "Take an operator's override away, or one field of it",
    parameters: ClearOverrideSchema,
    answer: "`ok`",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const [address, origin] = [decodeAddress(input), originOf(c, "DELETE /instance/override")];
    expectOk(
      await writeService(c.env, ref, async (stub) => stub.clearOverride(ref, address, input.field, origin)),
    );
    return okText();
  },
);
