import { z } from "zod";

/**
 * The frames of a session (`docs/push-protocol.md`). Both sides send JSON texts; the literal text `ping` is answered
 * `pong` by the runtime.
 */

/** How often a client sends `ping`, in milliseconds. */
export const PING_MS = 15_000;
/** A socket that was silent for this many pings is closed. */
export const MISSED_PINGS = 3;
/** Most characters of a frame that a client sends. */
export const MAX_FRAME_LENGTH = 65_536;
/** Most subscriptions, and most published instances, of one session. */
export const MAX_SUBSCRIPTIONS = 1_000;
export const MAX_PUBLICATIONS = 1_000;

/** Why the server closes a socket. */
export const CLOSE = {
  bye: 1_000,
  silent: 4_000,
  resumed: 4_001,
  unacknowledged: 4_002,
  full: 4_003,
} as const;

const id = z.union([z.string().max(64), z.number().int()]).optional();
const text = z.string().max(1_024);
const revision = z.number().int().min(0);

const SERVICE = { serviceName: text, groupName: text.optional(), clusters: text.optional() };
const NAMED = { serviceName: text, groupName: text.optional() };
const ADDRESS = {
  ip: z.string().max(128),
  port: z.number().int().min(0).max(65_535),
  clusterName: z.string().max(64).optional(),
};
const metadata = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()], {
    error: "should be a text, a number, true, false or null",
  }),
);

/** What a client publishes; `update` sets only what is sent. */
export const PublishedInstanceSchema = z.object({
  ...ADDRESS,
  weight: z.number().min(0).max(10_000).optional(),
  enabled: z.boolean().optional(),
  metadata: metadata.optional(),
});

/** Every frame that a client may send, by its op. */
export const ClientFrameSchema = z.discriminatedUnion("op", [
  z.object({
    id,
    op: z.literal("subscribe"),
    ...SERVICE,
    mode: z.enum(["list", "delta"]).optional(),
    revision: revision.optional(),
  }),
  z.object({ id, op: z.literal("unsubscribe"), ...SERVICE }),
  z.object({ id, op: z.literal("query"), ...SERVICE, healthyOnly: z.boolean().optional() }),
  z.object({ id, op: z.literal("register"), ...NAMED, instance: PublishedInstanceSchema }),
  z.object({ id, op: z.literal("update"), ...NAMED, instance: PublishedInstanceSchema }),
  z.object({ id, op: z.literal("deregister"), ...NAMED, instance: z.object(ADDRESS) }),
  z.object({ id, op: z.literal("auth"), token: z.string().max(8_192) }),
  z.object({ id, op: z.literal("resume"), resumeToken: z.string().max(256) }),
  z.object({ id, op: z.literal("bye") }),
  z.object({ id, op: z.literal("ack"), ...SERVICE, revision }),
]);

/** The ops that there are, for refusals. */
export const CLIENT_OPS = ClientFrameSchema.options.map((option) => option.shape.op.value);

export type ClientFrame = z.output<typeof ClientFrameSchema>;
export type FrameOf<Op extends ClientFrame["op"]> = Extract<ClientFrame, { op: Op }>;
export type PublishedInstance = z.output<typeof PublishedInstanceSchema>;
/** How a subscriber is told of changes: with the whole list, or with what differs. */
export type PushMode = "list" | "delta";
export type FrameId = string | number | undefined;

/** GET /v1/ns/session */
export const OpenSessionSchema = z.object({
  namespaceId: z.string().optional().meta({ description: "Namespace, default `public`" }),
  clientId: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, {
      error: "Param 'clientId' is illegal, allowed are 1 to 64 of letters, digits and ._:-",
    })
    .optional()
    .meta({ description: "Kept over reconnects, so that a client comes back to the same object" }),
});
