import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { z } from "zod";
import type { MetadataEdit } from "../../../shared/naming/metadata.ts";
import { BatchMetadataSchema, InstanceStatusesSchema } from "../../../shared/schemas/nacos-v1.ts";
import { decodeBatchTargets, decodeStatusesKey } from "../../codecs/batch.ts";
import { expectOk, jsonBody } from "../../codecs/nacos-v1.ts";
import { originOf } from "../../codecs/origin.ts";
import { decodeServiceRef } from "../../codecs/service-ref.ts";
import type { ServiceRef } from "../../../shared/naming/service-ref.ts";
import type { AppEnv } from "../../env.ts";
import { callService, writeService } from "../../service-call.ts";
import { addRoute } from "../define-route.ts";

/** `/v1/ns/instance/metadata/batch` and `/v1/ns/instance/statuses`: many instances in one call. */
export const instanceBatchRoutes = new OpenAPIHono<AppEnv>();

type BatchInput = z.output<typeof BatchMetadataSchema>;

async function editMetadata(
  c: Context<AppEnv>,
  ref: ServiceRef,
  input: BatchInput,
  metadata: MetadataEdit,
): Promise<Response> {
  const edit = { addresses: decodeBatchTargets(input.instances), metadata };
  const origin = originOf(c, `${c.req.method} /instance/metadata/batch`);
  const { updated, kind } = expectOk(
    await writeService(c.env, ref, async (stub) => stub.editMetadata(ref, edit, origin)),
  );
  // `unknown` stands where Nacos writes an instance's id, which it never knows here.
  return jsonBody({ updated: updated.map((at) => `${at.ip}:${at.port}:unknown:${at.clusterName}:${kind}`) });
}

addRoute(
  instanceBatchRoutes,
  {
    method: "put",
    path: "/instance/metadata/batch",
    summary: "Set metadata keys of many instances; without `instances`, of all",
    parameters: BatchMetadataSchema,
    answer: "Which instances it was for",
  },
  decodeServiceRef,
  (c, ref, input) => editMetadata(c, ref, input, input.metadata),
);

addRoute(
  instanceBatchRoutes,
  {
    method: "delete",
    path: "/instance/metadata/batch",
    summary: "Hide metadata keys of many instances, registered ones too; values do not matter",
    parameters: BatchMetadataSchema,
    answer: "Which instances it was for",
  },
  decodeServiceRef,
  (c, ref, input) =>
    editMetadata(c, ref, input, new Map([...input.metadata.keys()].map((key) => [key, null]))),
);

addRoute(
  instanceBatchRoutes,
  {
    method: "get",
    path: "/instance/statuses",
    summary: "The real health of all instances, disabled ones too",
    parameters: InstanceStatusesSchema,
    answer: "`ip:port_health` of each",
  },
  () => null,
  async (c, _prepared, input) => {
    const ref = decodeStatusesKey(input.key);
    const instances = await callService(c.env, ref, async (stub) => stub.getInstances(ref));
    return jsonBody({ ips: instances.map(({ ip, port, healthy }) => `${ip}:${port}_${healthy}`) });
  },
);
