/** Namespace that is meant when none is named; `""`, absent and `public` are one place (design, section 2). */
export const PUBLIC_NAMESPACE = "public";
export const DEFAULT_GROUP = "DEFAULT_GROUP";
const GROUP_SEPARATOR = "@@";

/** The full name of a service. `groupName` and `serviceName` stand apart; clients also send them joined by `@@`. */
export interface ServiceRef {
  readonly namespaceId: string;
  readonly groupName: string;
  readonly serviceName: string;
}

/** `group@@service`, the spelling that lists, instance ids and error texts use (Nacos 1.x and 2.x). */
export function groupedName(ref: Pick<ServiceRef, "groupName" | "serviceName">): string {
  return ref.groupName + GROUP_SEPARATOR + ref.serviceName;
}

/** Splits at the first `@@`; `null` when there is none, so that the group is named elsewhere. */
export function splitGroupedName(name: string): { groupName: string; serviceName: string } | null {
  const at = name.indexOf(GROUP_SEPARATOR);
  if (at < 0) return null;
  return { groupName: name.slice(0, at), serviceName: name.slice(at + GROUP_SEPARATOR.length) };
}

/** The name of a service's object: unambiguous, since a namespace id holds no `#` and a group no `@`. */
export function serviceObjectName(ref: ServiceRef): string {
  return `${ref.namespaceId}##${groupedName(ref)}`;
}
