/**
 * The closed list of what can be refused. The number is Nacos's own code, as the v2 and v3 envelopes show it
 * (2.5.1); which HTTP status and body a family makes of it is decided by that family's codec.
 */
export const ERROR_CODES = {
  parameterMissing: 10000,
  parameterInvalid: 20002,
  resourceNotFound: 20004,
  weightInvalid: 21001,
  metadataInvalid: 21002,
  instanceNotFound: 21003,
  instanceInvalid: 21004,
  kindConflict: 21004,
  clusterAmbiguous: 21004,
  healthChecked: 30000,
  selectorInvalid: 21006,
  serviceExists: 21007,
  serviceNotFound: 21008,
  serviceNotEmpty: 21009,
  /** Half a grouped name, refused before any handler (the name filter of 2.x). */
  groupedNameInvalid: 20002,
  /** A path or method under `/v1/ns` that there is not. */
  noSuchApi: 30000,
  /** A path elsewhere that there is not. */
  pathUnknown: 30000,
  methodNotAllowed: 30000,
  payloadTooLarge: 20002,
  /** A path that opens a WebSocket, asked for without one. */
  upgradeRequired: 30000,
  unavailable: 30000,
} as const;

/** The name of a refusal. */
export type ErrorName = keyof typeof ERROR_CODES;

/** A refusal as plain data: the form in which it crosses an object's RPC, where errors lose their class. */
export interface Failure {
  readonly name: ErrorName;
  /** What was wrong, with which value, and what is allowed. Safe to show to the caller. */
  readonly message: string;
}

/** An outcome that a caller must expect to fail. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Failure };

/** A broken rule of the registry, thrown where the way back is long; `onError` of the app renders it. */
export class NacosError extends Error {
  override readonly name = "NacosError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Throws a refusal. */
export function refuse(name: ErrorName, message: string): never {
  throw new NacosError({ name, message });
}

/** Throws a check's text as `parameterInvalid`; `null` is no refusal. */
export function refuseIllegal(message: string | null): void {
  if (message !== null) refuse("parameterInvalid", message);
}

/** A successful {@link Result}. */
export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** A failed {@link Result}. */
export function fail(name: ErrorName, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { name, message } };
}

/** Throws for a bug in our own code; `message` starts with "Expected". */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
