import type { ServiceObject } from "../durable-objects/service-object.ts";
import { waitHeaders, type ListWait } from "../shared/hot-call.ts";
import type { ServiceRef } from "../shared/naming/service-ref.ts";
import type { Bindings } from "./env.ts";
import { beats, hotLists } from "./isolate.ts";
import { serviceStub } from "./stubs.ts";

const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 50;

/** What the platform says of a failed call to an object; fields survive an RPC, classes do not. */
interface CallError {
  readonly retryable?: boolean;
  readonly overloaded?: boolean;
}

function isRetryable(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { retryable, overloaded }: CallError = error;
  return retryable === true && overloaded !== true;
}

/**
 * Calls a service's object, and again with a new stub when the platform says that the call may be repeated (the object
 * moved, or was reset by a deploy). Every call here may be: registering, beating and editing twice is as good as once.
 */
export async function callService<T>(
  env: Bindings,
  ref: ServiceRef,
  call: (stub: DurableObjectStub<ServiceObject>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(serviceStub(env, ref));
    } catch (error) {
      if (attempt === MAX_TRIES || !isRetryable(error)) throw error;
      await scheduler.wait(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2));
    }
  }
}

/** Calls a service's object to change something: what this isolate keeps of the service is forgotten. */
export async function writeService<T>(
  env: Bindings,
  ref: ServiceRef,
  call: (stub: DurableObjectStub<ServiceObject>) => Promise<T>,
): Promise<T> {
  return hotLists.whileWriting(ref, () => beats.whileWriting(ref, () => callService(env, ref, call)));
}

/** Fetches a list by its URL, from this isolate if it is asked for often, else from the service's object. */
export async function fetchList(env: Bindings, ref: ServiceRef, url: string): Promise<Response> {
  return hotLists.list(ref, url, () => callService(env, ref, async (stub) => stub.fetch(url)));
}

/** Waits for a list that is newer than the one a client has; never one that this isolate keeps. */
export async function awaitList(
  env: Bindings,
  ref: ServiceRef,
  url: string,
  wait: ListWait,
): Promise<Response> {
  return callService(env, ref, async (stub) => stub.fetch(url, { headers: waitHeaders(wait) }));
}
