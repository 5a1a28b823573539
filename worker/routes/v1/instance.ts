import { OpenAPIHono } from "@hono/zod-openapi";
import { listCallUrl } from "../../../shared/hot-call.ts";
import { UNKNOWN_BEAT_ANSWER } from "../../../shared/naming/beat.ts";
import {
  BeatSchema,
  DeregisterInstanceSchema,
  InstanceDetailSchema,
  ListInstancesSchema,
  PatchInstanceSchema,
  RegisterInstanceSchema,
  ReplaceInstanceSchema,
} from "../../../shared/schemas/nacos-v1.ts";
import { decodeBeat } from "../../codecs/beat-json.ts";
import {
  beatBody,
  decodeAddress,
  decodeEdit,
  decodeRegistration,
  encodeDetail,
  encodeFullDetail,
  expectOk,
  jsonBody,
  okText,
} from "../../codecs/nacos-v1.ts";
import { originOf } from "../../codecs/origin.ts";
import { decodeServiceRef } from "../../codecs/service-ref.ts";
import type { AppEnv } from "../../env.ts";
import { sendBeat } from "../../beat-call.ts";
import { awaitList, callService, fetchList, writeService } from "../../service-call.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/instance`: register, deregister, edit, detail, list and beat. */
export const instanceRoutes = new OpenAPIHono<AppEnv>();

addRoute(
  instanceRoutes,
  {
    method: "post",
    path: "/instance",
    summary: "Register an instance, or replace what it registered before",
    parameters: RegisterInstanceSchema,
    answer: "`ok`",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const registration = decodeRegistration(input);
    expectOk(
      await writeService(c.env, ref, async (stub) =>
        stub.register(ref, registration, originOf(c, "POST /instance")),
      ),
    );
    return okText();
  },
);

addRoute(
  instanceRoutes,
  {
    method: "delete",
    path: "/instance",
    summary: "Deregister an instance; without a cluster, every one with its ip and port",
    parameters: DeregisterInstanceSchema,
    answer: "`ok`, whether or not it was there; the header `Nacre-Removed` says how many were",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const origin = originOf(c, "DELETE /instance");
    const removed = await writeService(c.env, ref, async (stub) =>
      stub.deregister(ref, decodeAddress(input), origin),
    );
    return okText({ "nacre-removed": String(removed) });
  },
);

addRoute(
  instanceRoutes,
  {
    method: "put",
    path: "/instance",
    summary:
      "Edit an instance: weight and enabled go to what is sent or to their defaults, metadata if they are sent",
    parameters: ReplaceInstanceSchema,
    answer: "`ok`, also for an instance that is not there",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const [address, edit, origin] = [decodeAddress(input), decodeEdit(input), originOf(c, "PUT /instance")];
    expectOk(
      await writeService(c.env, ref, async (stub) => stub.replaceInstance(ref, address, edit, origin)),
    );
    return okText();
  },
);

addRoute(
  instanceRoutes,
  {
    method: "patch",
    path: "/instance",
    summary: "Edit an instance: only what is sent changes, metadata merge",
    parameters: PatchInstanceSchema,
    answer: "`ok`",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const [address, edit, origin] = [decodeAddress(input), decodeEdit(input), originOf(c, "PATCH /instance")];
    expectOk(await writeService(c.env, ref, async (stub) => stub.patchInstance(ref, address, edit, origin)));
    return okText();
  },
);

addRoute(
  instanceRoutes,
  {
    method: "get",
    path: "/instance",
    summary: "One instance, with its real health",
    parameters: InstanceDetailSchema,
    answer: "The instance; with `view=full` also what it registered, what overrides it, and what is in force",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const found = await callService(c.env, ref, async (stub) => stub.getInstance(ref, decodeAddress(input)));
    const instance = expectOk(found);
    return jsonBody(input.view === "full" ? encodeFullDetail(ref, instance) : encodeDetail(ref, instance));
  },
);

addRoute(
  instanceRoutes,
  {
    method: "get",
    path: "/instance/list",
    summary: "The enabled instances of a service; empty for a service that is not there",
    parameters: ListInstancesSchema,
    answer: "The list, as Nacos 2.x sends it, with the fields that only 1.x clients read",
  },
  decodeServiceRef,
  (c, ref, input) => {
    const url = listCallUrl(ref, input.clusters ?? "", input.healthyOnly ?? false);
    const { revision, waitMillis: millis } = input;
    if (revision !== undefined && millis !== undefined)
      return awaitList(c.env, ref, url, { revision, millis });
    return fetchList(c.env, ref, url);
  },
);

addRoute(
  instanceRoutes,
  {
    method: "put",
    path: "/instance/beat",
    summary: "A sign of life; a full beat registers an instance that is not there",
    parameters: BeatSchema,
    answer: "When to beat next, and code 10200, or 20404 for an instance that is not there",
  },
  decodeServiceRef,
  async (c, ref, input) => {
    const beat = decodeBeat(input);
    if (beat.registration === null && (input.ip === undefined || input.port === undefined))
      return beatBody(UNKNOWN_BEAT_ANSWER);
    return sendBeat(c, ref, beat);
  },
);
