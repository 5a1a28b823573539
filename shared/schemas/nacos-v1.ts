import { z } from "zod";
import { MAX_EVENTS } from "../naming/event.ts";
import { checkAddress, checkClusterName } from "../naming/names.ts";

import { OVERRIDE_FIELDS } from "../naming/override.ts";

import {
  checkedText,
  clip,
  intText,
  lenientIntText,
  lenientText,
  portText,
  rangedIntText,
  requiredText,
  springBooleanText,
  strictBooleanText,
  weightText,
} from "./parameters.ts";
import {
  MAX_CLUSTERS_LENGTH,
  MAX_EXPRESSION_LENGTH,
  MAX_INSTANCES_LENGTH,
  SERVICE_FIELDS,
  anyCluster,
  atMost,
  checkerText,
  cluster,
  clusterAlias,
  clusterName,
  flag,
  ip,
  metadata,
  metadataText,
  missing,
  pageNo,
  pageSize,
  pattern,
  port,
  selectorText,
  thresholdText,
  weight,
} from "./nacos-v1-fields.ts";

/**
 * Parameters of `/v1/ns`, as Nacos 2.4.2 and newer read them (2.5.1 where observed). Names of services are checked by the
 * codec, since group and service may stand in one parameter or in two. Unknown parameters are ignored.
 */

/** POST /v1/ns/instance */
export const RegisterInstanceSchema = z.object({
  ...SERVICE_FIELDS,
  ip,
  port,
  clusterName,
  cluster: clusterAlias,
  weight,
  enabled: flag,
  enable: flag,
  healthy: flag,
  ephemeral: flag,
  metadata,
});

/** DELETE /v1/ns/instance: without a cluster it means every instance with that ip and port. */
export const DeregisterInstanceSchema = z.object({
  ...SERVICE_FIELDS,
  ip,
  port,
  clusterName: anyCluster,
  cluster: anyCluster,
});

/** PUT /v1/ns/instance: what is left out goes back to its default, metadata excepted. */
export const ReplaceInstanceSchema = z.object({
  ...SERVICE_FIELDS,
  ip,
  port,
  clusterName,
  cluster: clusterAlias,
  weight,
  enabled: flag,
  enable: flag,
  metadata,
});

/** PATCH /v1/ns/instance: only what is sent changes. */
export const PatchInstanceSchema = z.object({
  ...SERVICE_FIELDS,
  ip,
  port,
  clusterName,
  cluster: clusterAlias,
  weight,
  enabled: flag,
  metadata,
});

/** GET /v1/ns/instance */
export const InstanceDetailSchema = z.object({
  ...SERVICE_FIELDS,
  ip,
  port,
  clusterName: anyCluster,
  view: z.string().optional().meta({ description: "`full` adds what was registered and what overrides it" }),
});

/** GET /v1/ns/instance/why */
export const ExplainInstanceSchema = z.object({ ...SERVICE_FIELDS, ip, port, clusterName: anyCluster });

/** DELETE /v1/ns/instance/override */
export const ClearOverrideSchema = z.object({
  ...SERVICE_FIELDS,
  ip,
  port,
  clusterName,
  field: z
    .enum(OVERRIDE_FIELDS, {
      error: ({ input }) =>
        `Param 'field' is illegal, allowed: ${OVERRIDE_FIELDS.join(", ")}. (current: ${clip(String(input))})`,
    })
    .optional(),
});

/** Longest wait for a list to change, in milliseconds (design, section 6). */
export const MAX_WAIT_MS = 30_000;

/** GET /v1/ns/instance/list */
export const ListInstancesSchema = z.object({
  ...SERVICE_FIELDS,
  clusters: checkedText(z.string(), atMost("clusters", MAX_CLUSTERS_LENGTH)).optional().meta({
    description: "Comma-separated, exact names; blank means all; echoed byte for byte",
  }),
  healthyOnly: strictBooleanText.optional().meta({ description: "Only `true` filters; default false" }),
  revision: rangedIntText("revision", 0, Number.MAX_SAFE_INTEGER).optional().meta({
    description: "The revision that the client has; with `waitMillis` the answer waits for a newer one",
  }),
  waitMillis: rangedIntText("waitMillis", 0, MAX_WAIT_MS)
    .optional()
    .meta({ description: `How long to wait for a newer revision, 0 to ${MAX_WAIT_MS}, default 0` }),
  udpPort: intText.optional().meta({ description: "Accepted; there is no UDP push" }),
});

/** PUT /v1/ns/instance/beat. The JSON in `beat` is read by the codec; without it the beat is a light one. */
export const BeatSchema = z.object({
  ...SERVICE_FIELDS,
  ip: checkedText(z.string(), checkAddress).optional(),
  port: portText("").optional(),
  clusterName,
  beat: z.string().optional().meta({
    description: "JSON of the instance; absent for a light beat",
    example: '{"ip":"10.0.0.1","port":8080,"cluster":"DEFAULT","weight":1,"metadata":{}}',
  }),
});

/** GET /v1/ns/instance/statuses */
export const InstanceStatusesSchema = z.object({
  key: requiredText("Parameter 'key' is missing").meta({ description: "`[namespaceId##]group@@service`" }),
});

/** PUT and DELETE /v1/ns/instance/metadata/batch */
export const BatchMetadataSchema = z.object({
  ...SERVICE_FIELDS,
  metadata: metadataText(requiredText(missing("metadata"))).meta({
    description: "Keys to set; DELETE looks at the keys only",
  }),
  instances: checkedText(z.string(), atMost("instances", MAX_INSTANCES_LENGTH)).optional().meta({
    description: "JSON array of {ip, port, clusterName}; none means every instance",
    example: '[{"ip":"10.0.0.1","port":8080}]',
  }),
});

/** POST /v1/ns/service */
export const CreateServiceSchema = z.object({
  ...SERVICE_FIELDS,
  protectThreshold: thresholdText(z.string()).optional(),
  metadata,
  selector: selectorText.optional(),
});

/** PUT /v1/ns/service: a full replacement. */
export const UpdateServiceSchema = z.object({
  ...SERVICE_FIELDS,
  protectThreshold: thresholdText(requiredText(missing("protectThreshold"))),
  metadata,
  selector: selectorText.optional(),
});

/** GET and DELETE /v1/ns/service */
export const NamedServiceSchema = z.object(SERVICE_FIELDS);

/** GET /v1/ns/service/list */
export const ListServicesSchema = z.object({
  namespaceId: SERVICE_FIELDS.namespaceId,
  groupName: SERVICE_FIELDS.groupName.meta({ description: "Group, default `DEFAULT_GROUP`; `*` means all" }),
  pageNo: lenientIntText(missing("pageNo")).meta({ description: "From 1; less acts as 1", example: "1" }),
  pageSize: lenientIntText(missing("pageSize")).meta({ description: "0 gives no names", example: "10" }),
});

/** GET /v1/ns/service/names */
export const ServiceNamesSchema = z.object({
  namespaceId: SERVICE_FIELDS.namespaceId.meta({ description: "Blank means all namespaces" }),
  expr: checkedText(z.string(), atMost("expr", MAX_EXPRESSION_LENGTH)).optional().meta({
    description: "Regular expression (RE2) found anywhere in `group@@service`",
  }),
});

/** PUT /v1/ns/cluster: a full replacement. The service is asked for after the cluster. */
export const UpdateClusterSchema = z.object({
  ...SERVICE_FIELDS,
  checkPort: portText(missing("checkPort"), "checkPort"),
  useInstancePort4Check: lenientText(requiredText(missing("useInstancePort4Check"))),
  healthChecker: checkerText.meta({ example: '{"type":"HTTP","path":"/health"}' }),
  metadata,
});

/** The cluster of PUT /v1/ns/cluster, which is looked at before all else and has no default. */
export const NamedClusterSchema = z.object({
  clusterName: checkedText(requiredText(missing("clusterName")), checkClusterName),
});

/** PUT /v1/ns/health and /v1/ns/health/instance */
export const SetHealthSchema = z.object({
  ...SERVICE_FIELDS,
  healthy: flag.meta({ description: "Required, under this name or as `valid`" }),
  valid: flag,
  ip,
  port,
  clusterName,
});

/** GET /v1/ns/catalog/services */
export const CatalogueServicesSchema = z.object({
  namespaceId: SERVICE_FIELDS.namespaceId,
  pageNo,
  pageSize,
  serviceNameParam: pattern("serviceNameParam").meta({
    description: "Regular expression (RE2) found in the name",
  }),
  groupNameParam: pattern("groupNameParam").meta({
    description: "Regular expression (RE2) found in the group",
  }),
  hasIpCount: springBooleanText("hasIpCount")
    .optional()
    .meta({ description: "true: only services with instances" }),
  withInstances: springBooleanText("withInstances")
    .optional()
    .meta({ description: "true: with all instances" }),
});

/** GET /v1/ns/catalog/instances */
export const CatalogueInstancesSchema = z.object({
  ...SERVICE_FIELDS,
  clusterName: checkedText(
    requiredText("Parameter 'clusterName' is missing"),
    atMost("clusterName", MAX_CLUSTERS_LENGTH),
  ),
  pageNo,
  pageSize,
});

/** GET /v1/ns/service/events */
export const ServiceEventsSchema = z.object({
  ...SERVICE_FIELDS,
  after: rangedIntText("after", 0, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: "Only events with a greater seq" }),
  limit: rangedIntText("limit", 1, MAX_EVENTS)
    .optional()
    .meta({ description: `1 to ${MAX_EVENTS}, default 100` }),
});

/** GET /v1/ns/operator/metrics */
export const MetricsSchema = z.object({
  onlyStatus: strictBooleanText.optional().meta({ description: "Default true: only the status" }),
});

/**
 * The fields of a beat's JSON, checked as parameters are and by the same texts. Numbers have become their source text
 * before; fields that are `null` or blank have been left out, unknown ones are ignored.
 */
export const BeatJsonSchema = z.object({
  ip: checkedText(z.string(), checkAddress).optional(),
  port: portText("").optional(),
  cluster,
  weight: weightText.optional(),
});

/** One entry of `instances` in a batch edit. */
export const BatchTargetSchema = z.object({
  ip,
  port,
  clusterName: anyCluster,
});
