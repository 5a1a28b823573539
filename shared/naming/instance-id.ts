import { fail, succeed, type Result } from "../errors.ts";
import type { InstanceAddress } from "./instance.ts";
import type { Metadata } from "./metadata.ts";
import { groupedName, type ServiceRef } from "./service-ref.ts";

/** Metadata key that chooses how an instance id is made (Nacos 1.x and 2.x). */
export const ID_GENERATOR_KEY = "preserved.instance.id.generator";
export const ID_GENERATORS = ["simple", "snowflake"] as const;
export type IdGenerator = (typeof ID_GENERATORS)[number];

/** Epoch of Nacos's snowflake ids, in milliseconds. */
const SNOWFLAKE_EPOCH_MS = 1_533_429_240_000;
const WORKER_BITS = 10n;
const SEQUENCE_BITS = 12n;

/** The generator that metadata name; blank is `simple`. Refuses another name with `instanceInvalid` (Nacos answers 500). */
export function readIdGenerator(metadata: Metadata): Result<IdGenerator> {
  const named = metadata.get(ID_GENERATOR_KEY)?.trim() ?? "";
  if (named === "") return succeed("simple");
  const known = ID_GENERATORS.find((generator) => generator === named);
  if (known !== undefined) return succeed(known);
  return fail(
    "instanceInvalid",
    `The InstanceIdGenerator type '${named}' in metadata '${ID_GENERATOR_KEY}' is not found, allowed: ${ID_GENERATORS.join(", ")}`,
  );
}

/**
 * A snowflake id in the form of Nacos 2.x, `<64-bit number>#cluster#group@@service`. The low bits are the instance's slot,
 * which is unique within the service, so two ids of one service never meet.
 */
export function makeInstanceId(ref: ServiceRef, address: InstanceAddress, now: number, slot: number): string {
  const bits = WORKER_BITS + SEQUENCE_BITS;
  const time = BigInt(Math.max(0, now - SNOWFLAKE_EPOCH_MS));
  const number = (time << bits) | (BigInt(slot) & ((1n << bits) - 1n));
  return `${number}#${address.clusterName}#${groupedName(ref)}`;
}
