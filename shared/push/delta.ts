/** What differs between two lists of one service and the same clusters. */
export interface ListDelta {
  /** Hosts that are new or differ, as the newer list shows them. */
  readonly changed: readonly unknown[];
  readonly removed: readonly { readonly ip: string; readonly port: number; readonly clusterName: string }[];
}

interface Host {
  readonly ip: string;
  readonly port: number;
  readonly clusterName: string;
}

interface ListBody extends Readonly<Record<string, unknown>> {
  readonly hosts: readonly Host[];
}

/** Fields of a list that each revision changes, so that they say nothing of their own. */
const OF_REVISION = new Set(["hosts", "revision", "lastRefTime", "checksum"]);

/**
 * What a client must know to turn one list into the other.
 * @param before body of `/instance/list`
 * @param after the same, of a newer revision
 * @returns `null` when more than hosts differs, so that the client needs the whole list
 */
export function listDelta(before: string, after: string): ListDelta | null {
  // Bodies that this registry rendered.
  const older: ListBody = JSON.parse(before);
  const newer: ListBody = JSON.parse(after);
  if (otherFields(older) !== otherFields(newer)) return null;
  const known = hostsByAddress(older);
  const changed: Host[] = [];
  for (const [key, host] of hostsByAddress(newer)) {
    const old = known.get(key);
    known.delete(key);
    if (old === undefined || JSON.stringify(old) !== JSON.stringify(host)) changed.push(host);
  }
  const removed = [...known.values()].map(({ ip, port, clusterName }) => ({ ip, port, clusterName }));
  return { changed, removed };
}

function otherFields(list: ListBody): string {
  return JSON.stringify(Object.entries(list).filter(([name]) => !OF_REVISION.has(name)));
}

function hostsByAddress({ hosts }: ListBody): Map<string, Host> {
  return new Map(hosts.map((host) => [`${host.clusterName}#${host.port}#${host.ip}`, host]));
}
