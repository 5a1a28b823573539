import { BlockList, createServer, isIP, isIPv6 } from "node:net";

import { ReportedError } from "./project.mjs";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/**
 * @param {string} host
 * @returns {boolean} false for names, whatever they stand for
 */
export function isLoopback(host) {
  return isIP(host) !== 0 && loopback.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {string} as in a URL
 */
export function formatAddress(host, port) {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Finds out whether workerd will be able to listen, before anything slow is begun.
 * @param {string} host
 * @param {number} port 0 for any
 * @returns {Promise<number>} the port, a free one for 0
 * @throws {ReportedError} when it is taken or may not be bound
 */
export function findPort(host, port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => reject(new ReportedError(describeBindError(error, { host, port }))));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === "object" && address ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}

/**
 * @param {NodeJS.ErrnoException} error
 * @param {{ host: string, port: number }} address
 */
function describeBindError({ code, message }, { host, port }) {
  if (code === "EADDRINUSE") return describeTakenPort(host, port);
  if (code === "EACCES")
    return `Port ${port} on ${host} may not be bound by this user: choose one from 1024 on with --port.`;
  if (code === "EADDRNOTAVAIL") return `This machine has no address ${host}: choose another with --host.`;
  return `Port ${port} on ${host} cannot be bound (${message}): choose another with --port.`;
}

/**
 * @param {string} host
 * @param {number} port
 */
export function describeTakenPort(host, port) {
  return `Port ${port} on ${host} is taken by another process: stop it, or choose another port with --port (0: any free one).`;
}
