import nacos from "nacos";
import { afterAll, beforeAll, test } from "vitest";
import { startServer } from "../support/server-harness.mjs";

interface Host {
  ip: string;
  healthy: boolean;
}

/** What is used here of the client; the package's own types ask for fields that it does not need and lack `close`. */
interface NamingClient {
  ready(): Promise<void>;
  close(): Promise<void>;
  registerInstance(service: string, instance: object): Promise<void>;
  deregisterInstance(service: string, instance: object): Promise<void>;
  getAllInstances(service: string, group: string, clusters: string, subscribe: boolean): Promise<Host[]>;
  subscribe(service: string, listener: (hosts: Host[]) => void): void;
  getServerStatus(): Promise<string>;
}

let server: Awaited<ReturnType<typeof startServer>>;
const clients: NamingClient[] = [];

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.stop();
});

/** The client logs each beat. */
const quiet: typeof console = Object.assign(Object.create(console), { info() {}, warn() {}, debug() {} });

function isNamingClient(client: object): client is NamingClient {
  return "close" in client && "registerInstance" in client;
}

async function connect(): Promise<NamingClient> {
  const client: object = new nacos.NacosNamingClient({
    logger: quiet,
    serverList: [`127.0.0.1:${server.port}`],
    namespace: "public",
  });
  if (!isNamingClient(client)) throw new Error("Expected the package nacos to hold a naming client");
  await client.ready();
  clients.push(client);
  return client;
}

/** The list as the server sends it: the client goes on handing out its old hosts when a list turns empty. */
async function listed(serviceName: string): Promise<Host[]> {
  const response = await fetch(`${server.url}/nacos/v1/ns/instance/list?serviceName=${serviceName}`);
  const body: { hosts: Host[] } = await response.json();
  return body.hosts;
}

async function until<T>(
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
  withinMs: number,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (isWanted(value) || Date.now() > deadline) return value;
    await new Promise((done) => setTimeout(done, 100));
  }
}

test("I2 V7: the npm client registers, reads and deregisters", async ({ expect }) => {
  const client = await connect();
  const instance = { ip: "10.2.0.1", port: 8080, weight: 2, metadata: { zone: "a", odd: "a+b%25&c=d" } };
  await client.registerInstance("npm-plain", instance);
  const found = await client.getAllInstances("npm-plain", "DEFAULT_GROUP", "DEFAULT", false);
  expect(found).toMatchObject([{ ...instance, healthy: true, clusterName: "DEFAULT" }]);
  await client.deregisterInstance("npm-plain", { ip: "10.2.0.1", port: 8080 });
  expect(await listed("npm-plain")).toEqual([]);
  expect(await client.getServerStatus()).toBe("UP");
});

test("B1 L1: its beats keep an instance healthy past both timeouts, and its silence does not", async ({
  expect,
}) => {
  const provider = await connect();
  const reader = await connect();
  await provider.registerInstance("npm-beats", { ip: "10.2.0.2", port: 8080 });
  await new Promise((done) => setTimeout(done, 36_000));
  const read = () => reader.getAllInstances("npm-beats", "DEFAULT_GROUP", "DEFAULT", false);
  expect(await read()).toMatchObject([{ ip: "10.2.0.2", healthy: true }]);
  await provider.close();
  const marked = await until(read, ([host]) => host?.healthy === false, 17_000);
  expect(marked).toMatchObject([{ ip: "10.2.0.2", healthy: false }]);
  expect(
    await until(
      () => listed("npm-beats"),
      (hosts) => hosts.length === 0,
      17_000,
    ),
  ).toEqual([]);
});

test("B4: its beats bring an instance back that is gone from the registry", async ({ expect }) => {
  const client = await connect();
  await client.registerInstance("npm-revived", {
    ip: "10.2.0.3",
    port: 8080,
    weight: 5,
    metadata: { a: "1" },
  });
  const removed = await fetch(
    `${server.url}/nacos/v1/ns/instance?serviceName=npm-revived&ip=10.2.0.3&port=8080`,
    { method: "DELETE" },
  );
  expect(removed.headers.get("nacre-removed")).toBe("1");
  const read = () => client.getAllInstances("npm-revived", "DEFAULT_GROUP", "DEFAULT", false);
  const back = await until(read, (hosts) => hosts.length === 1, 25_000);
  expect(back).toMatchObject([{ ip: "10.2.0.3", weight: 5, metadata: { a: "1" } }]);
});

test("V1 P7: its listener hears of a change, and of nothing while nothing changes", async ({ expect }) => {
  const provider = await connect();
  const consumer = await connect();
  const heard: string[][] = [];
  await provider.registerInstance("npm-listener", { ip: "10.2.0.4", port: 8080 });
  consumer.subscribe("npm-listener", (hosts) => heard.push(hosts.map(({ ip }) => ip).toSorted()));
  await until(
    async () => heard.length,
    (count) => count > 0,
    5_000,
  );
  await provider.registerInstance("npm-listener", { ip: "10.2.0.5", port: 8080 });
  await until(
    async () => heard.length,
    (count) => count > 1,
    15_000,
  );
  await new Promise((done) => setTimeout(done, 12_000));
  expect(heard).toEqual([["10.2.0.4"], ["10.2.0.4", "10.2.0.5"]]);
});
