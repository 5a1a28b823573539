import {
  metadataFromObject,
  metadataToObject,
  sameMetadata,
  withoutNulls,
  type Metadata,
  type MetadataEdit,
} from "./metadata.ts";

/**
 * What an operator set on an instance, kept apart from what it registered (design, section 2; Nacos 2.x's metadata
 * overlay, but able to take keys away). A field that is not there is not overridden.
 */
export interface Override {
  readonly weight?: number;
  readonly enabled?: boolean;
  readonly metadata?: MetadataOverride;
}

/** PUT replaces all metadata; PATCH and the batch routes change single keys and let the registered ones shine through. */
export type MetadataOverride =
  | { readonly mode: "replace"; readonly values: Metadata }
  | { readonly mode: "merge"; readonly values: Metadata; readonly hidden: ReadonlySet<string> };

/** The fields of an override, as `DELETE /v1/ns/instance/override` names them. */
export const OVERRIDE_FIELDS = ["weight", "enabled", "metadata"] as const;
export type OverrideField = (typeof OVERRIDE_FIELDS)[number];

/** The metadata that are in force: the registered ones under the operator's. */
export function overrideMetadata(registered: Metadata, override: MetadataOverride | undefined): Metadata {
  if (override === undefined) return registered;
  if (override.mode === "replace") return override.values;
  const effective = new Map(registered);
  for (const key of override.hidden) effective.delete(key);
  for (const [key, value] of override.values) effective.set(key, value);
  return effective;
}

/** Adds single keys to a metadata override; a `null` takes its key away, a registered one too. */
export function mergeMetadataOverride(
  current: MetadataOverride | undefined,
  edit: MetadataEdit,
): MetadataOverride {
  const values = new Map(current?.values);
  const hidden = new Set(current?.mode === "merge" ? current.hidden : []);
  for (const [key, value] of edit) {
    if (value === null) {
      values.delete(key);
      hidden.add(key);
    } else {
      values.set(key, value);
      hidden.delete(key);
    }
  }
  return current?.mode === "replace" ? { mode: "replace", values } : { mode: "merge", values, hidden };
}

/** PUT sets weight and enabled to what is sent or to their defaults; metadata only when they are sent, as a whole. */
export function replaceOverride(
  current: Override | null,
  sent: { readonly weight?: number; readonly enabled?: boolean; readonly metadata?: MetadataEdit },
): Override {
  const metadata: MetadataOverride | undefined =
    sent.metadata === undefined
      ? current?.metadata
      : { mode: "replace", values: withoutNulls(sent.metadata) };
  return {
    weight: sent.weight ?? 1,
    enabled: sent.enabled ?? true,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** PATCH sets only what is sent. */
export function patchOverride(
  current: Override | null,
  sent: { readonly weight?: number; readonly enabled?: boolean; readonly metadata?: MetadataEdit },
): Override {
  return {
    ...current,
    ...(sent.weight === undefined ? {} : { weight: sent.weight }),
    ...(sent.enabled === undefined ? {} : { enabled: sent.enabled }),
    ...(sent.metadata === undefined || sent.metadata.size === 0
      ? {}
      : { metadata: mergeMetadataOverride(current?.metadata, sent.metadata) }),
  };
}

/** Takes one field or, without `field`, all of an override away; `null` when nothing is left. */
export function clearOverrideField(
  current: Override | null,
  field: OverrideField | undefined,
): Override | null {
  if (current === null || field === undefined) return null;
  const { [field]: _cleared, ...rest } = current;
  return Object.keys(rest).length === 0 ? null : rest;
}

/** Whether both override the same fields with the same values. */
export function sameOverride(a: Override | null, b: Override | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return a.weight === b.weight && a.enabled === b.enabled && sameMetadataOverride(a.metadata, b.metadata);
}

function sameMetadataOverride(a: MetadataOverride | undefined, b: MetadataOverride | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.mode !== b.mode || !sameMetadata(a.values, b.values)) return false;
  if (a.mode === "replace" || b.mode === "replace") return true;
  return a.hidden.size === b.hidden.size && [...a.hidden].every((key) => b.hidden.has(key));
}

/** An override as a plain object, for rendering and storing as JSON. */
export interface OverrideObject extends Omit<Override, "metadata"> {
  readonly metadata?: {
    readonly mode: MetadataOverride["mode"];
    readonly values: Readonly<Record<string, string>>;
    /** With `merge` only. */
    readonly hidden?: readonly string[];
  };
}

/** The plain object of an override. */
export function overrideToObject(override: Override): OverrideObject {
  const { metadata, ...rest } = override;
  if (metadata === undefined) return rest;
  const values = metadataToObject(metadata.values);
  return {
    ...rest,
    metadata:
      metadata.mode === "merge"
        ? { mode: "merge", values, hidden: [...metadata.hidden] }
        : { mode: "replace", values },
  };
}

/** The override of an object that {@link overrideToObject} made. */
export function overrideFromObject(object: OverrideObject): Override {
  const { metadata, ...rest } = object;
  if (metadata === undefined) return rest;
  const values = metadataFromObject(metadata.values);
  return {
    ...rest,
    metadata:
      metadata.mode === "merge"
        ? { mode: "merge", values, hidden: new Set(metadata.hidden) }
        : { mode: "replace", values },
  };
}

/** How an event tells that an instance was switched on or off. */
const ENABLED_WORD = "enabled";
const DISABLED_WORD = "disabled";

/** Says in words what an override does, for events. */
export function describeOverride(override: Override): string {
  const parts: string[] = [];
  if (override.weight !== undefined) parts.push(`weight ${override.weight}`);
  if (override.enabled !== undefined) parts.push(override.enabled ? ENABLED_WORD : DISABLED_WORD);
  if (override.metadata !== undefined) parts.push(...describeMetadata(override.metadata));
  return parts.join(", ");
}

/** Metadata stand last, since their keys are other people's words. */
function describeMetadata(metadata: MetadataOverride): string[] {
  const set = [...metadata.values.keys()].join(", ");
  if (metadata.mode === "replace") return [`metadata replaced (${set})`];
  const hidden = [...metadata.hidden].join(", ");
  return [
    ...(set === "" ? [] : [`metadata set (${set})`]),
    ...(hidden === "" ? [] : [`metadata hidden (${hidden})`]),
  ];
}

const SWITCH = new RegExp(`(?:: |, )(${ENABLED_WORD}|${DISABLED_WORD})(?:,|$)`);

/** Whether the cause of an event says that an edit switched an instance on or off; `null` when it did neither. */
export function readSwitch(cause: string): boolean | null {
  const word = SWITCH.exec(cause.split(/(?:: |, )metadata /)[0] ?? "")?.[1];
  return word === undefined ? null : word === ENABLED_WORD;
}
