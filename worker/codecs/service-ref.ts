import { refuse, refuseIllegal } from "../../shared/errors.ts";
import { checkGroupName, checkNamespaceId, checkServiceName } from "../../shared/naming/names.ts";
import {
  DEFAULT_GROUP,
  PUBLIC_NAMESPACE,
  splitGroupedName,
  type ServiceRef,
} from "../../shared/naming/service-ref.ts";
import type { Parameters } from "./parameters.ts";

/** Texts of a missing service name: read by hand in most of 2.x's controllers, bound by its framework in others. */
export const REQUIRED_SERVICE = "Param 'serviceName' is required.";
export const MISSING_SERVICE = "Parameter 'serviceName' is missing";

/** The namespace that a request means: absent, blank and `public` are one place. */
export function decodeNamespace(parameters: Parameters): string {
  const namespaceId = parameters.get("namespaceId") ?? PUBLIC_NAMESPACE;
  refuseIllegal(checkNamespaceId(namespaceId));
  return namespaceId;
}

/**
 * The service that a request names. `group@@service` in the name wins over `groupName` (rule of 1.x and 2.x); `dom` is the
 * name's old spelling. Half a grouped name is refused before all else, by an error page (2.x's name filter).
 */
export function decodeServiceRef(parameters: Parameters, missingText: string = REQUIRED_SERVICE): ServiceRef {
  const name = parameters.get("serviceName") ?? parameters.get("dom");
  if (name === undefined) return refuse("parameterMissing", missingText);
  const namespaceId = decodeNamespace(parameters);
  const grouped = splitGroupedName(name);
  const ref: ServiceRef = {
    namespaceId,
    groupName: grouped?.groupName ?? parameters.get("groupName") ?? DEFAULT_GROUP,
    serviceName: grouped?.serviceName ?? name,
  };
  if (grouped !== null) checkHalves(ref);
  refuseIllegal(checkGroupName(ref.groupName));
  refuseIllegal(checkServiceName(ref.serviceName));
  return ref;
}

function checkHalves({ groupName, serviceName }: ServiceRef): void {
  if (serviceName === "") refuseHalf("it should be format as 'groupName@@serviceName'");
  if (groupName === "") refuseHalf("groupName can't be empty");
}

function refuseHalf(why: string): never {
  const message = `Service name filter error,caused: Param 'serviceName' is illegal, ${why};`;
  return refuse("groupedNameInvalid", message);
}
