import type { CatalogueEntry } from "../shared/naming/catalogue.ts";
import type { NamespaceTotals, PageQuery } from "../shared/store.ts";
import type { Bindings } from "./env.ts";
import { controlStub, namespaceStub } from "./stubs.ts";

/** A page of the services of a namespace, and how many there are in all. */
export async function listServices(
  env: Bindings,
  namespaceId: string,
  query: PageQuery,
): Promise<{ count: number; entries: CatalogueEntry[] }> {
  return namespaceStub(env, namespaceId).page(query);
}

/** Every service of a namespace, in ascending order. */
export async function allServices(env: Bindings, namespaceId: string): Promise<CatalogueEntry[]> {
  const everything = { groupName: null, offset: 0, limit: Number.MAX_SAFE_INTEGER };
  return (await listServices(env, namespaceId, everything)).entries;
}

/** Every namespace that has, or had, a service. */
export async function namespacesInUse(env: Bindings): Promise<string[]> {
  return controlStub(env).namespaces();
}

/** Totals over all namespaces, from their catalogues: no service is woken. */
export async function registryTotals(env: Bindings): Promise<NamespaceTotals> {
  const namespaces = await namespacesInUse(env);
  const totals = await Promise.all(
    namespaces.map(async (namespaceId) => namespaceStub(env, namespaceId).totals()),
  );
  return totals.reduce(
    (sum, each) => ({
      services: sum.services + each.services,
      instances: sum.instances + each.instances,
      healthyInstances: sum.healthyInstances + each.healthyInstances,
    }),
    { services: 0, instances: 0, healthyInstances: 0 },
  );
}
