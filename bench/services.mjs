import { ReportedError } from "../scripts/project.mjs";

/**
 * Services of equal size.
 * @typedef {object} ServiceSet
 * @property {string} name begins the names of its services
 * @property {number} services
 * @property {number} instances of each service
 */

/**
 * @typedef {object} Instance
 * @property {string} serviceName
 * @property {string} ip
 * @property {number} port
 */

/** @typedef {{ method: string, path: string }} Target a request that is sent many times */

const NAMING = "/nacos/v1/ns";
const BEAT_CODE = 10_200;

/** Leases so long that a slow round kills nobody. */
export const LONG_LEASE = {
  "preserved.heart.beat.timeout": "600000",
  "preserved.ip.delete.timeout": "1200000",
};

/** @param {ServiceSet} set */
function serviceNames({ name, services }) {
  // Names are equally long, and so are the lists of equal services.
  return Array.from(
    { length: services },
    (_, index) => `DEFAULT_GROUP@@${name}-${String(index).padStart(4, "0")}`,
  );
}

/**
 * The instances of a set, the first of each service, then the second of each, and so on: whoever asks in this order asks
 * no service twice in a row.
 * @param {ServiceSet} set
 * @returns {Instance[]}
 */
export function instancesOf(set) {
  const names = serviceNames(set);
  return Array.from({ length: set.instances }, (_, index) => {
    const ip = `10.1.${index >> 8}.${index & 255}`;
    return names.map((serviceName) => ({ serviceName, ip, port: 8080 }));
  }).flat();
}

/**
 * A registration, in the query as Java sends it.
 * @param {Instance} instance
 * @param {Record<string, string>} metadata
 * @returns {Target}
 */
export function registration({ serviceName, ip, port }, metadata) {
  const query = new URLSearchParams({
    groupName: "DEFAULT_GROUP",
    metadata: JSON.stringify(metadata),
    namespaceId: "public",
    port: String(port),
    enable: "true",
    healthy: "true",
    clusterName: "DEFAULT",
    ip,
    weight: "1.0",
    ephemeral: "true",
    serviceName,
  });
  return { method: "POST", path: `${NAMING}/instance?${query.toString()}` };
}

/**
 * A light beat as Java sends it: no body, all in the query.
 * @param {Instance} instance
 * @returns {Target}
 */
export function beat({ serviceName, ip, port }) {
  const query = new URLSearchParams({
    app: "unknown",
    namespaceId: "public",
    port: String(port),
    clusterName: "DEFAULT",
    ip,
    serviceName,
  });
  return { method: "PUT", path: `${NAMING}/instance/beat?${query.toString()}` };
}

/**
 * @param {string} serviceName
 * @returns {Target} its list, healthy instances or not
 */
export function list(serviceName) {
  const query = new URLSearchParams({
    app: "unknown",
    healthyOnly: "false",
    namespaceId: "public",
    clientIP: "10.2.0.1",
    serviceName,
    udpPort: "0",
    clusters: "",
  });
  return { method: "GET", path: `${NAMING}/instance/list?${query.toString()}` };
}

/**
 * @param {ServiceSet} set
 * @returns {Target[]} the lists of all its services
 */
export function listsOf(set) {
  return serviceNames(set).map(list);
}

/**
 * @param {string} body the answer to a beat
 * @throws {ReportedError} unless the beat was taken
 */
export function checkBeat(body) {
  /** @type {{ code: number }} */
  const { code } = JSON.parse(body);
  if (code !== BEAT_CODE)
    throw new ReportedError(`A beat was answered with "${body}" instead of ${BEAT_CODE}.`);
}

/**
 * @param {string} body the answer to a list
 * @param {number} instances
 * @throws {ReportedError} unless it holds so many instances, all healthy
 */
export function checkList(body, instances) {
  /** @type {{ hosts: { healthy: boolean }[] }} */
  const { hosts } = JSON.parse(body);
  const healthy = hosts.filter((host) => host.healthy).length;
  if (hosts.length === instances && healthy === instances) return;
  throw new ReportedError(
    `A list holds ${hosts.length} instances, ${healthy} of them healthy; expected ${instances} healthy ones.`,
  );
}
