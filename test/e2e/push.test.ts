import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished, test } from "vitest";
import { PushClient } from "../support/push-client.ts";
import { startServer, type TestServer } from "../support/server-harness.mjs";
import { TcpProxy } from "../support/tcp-proxy.ts";

const SECOND = 1_000;

async function serve(): Promise<TestServer> {
  const server = await startServer();
  onTestFinished(() => server.stop());
  return server;
}

async function send(server: TestServer, method: string, parameters: Record<string, string>): Promise<void> {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(`${server.url}/nacos/v1/ns/instance?${query}`, { method });
  const text = await response.text();
  if (text !== "ok") throw new Error(`Expected ok, got ${response.status} ${text}`);
}

async function health(server: TestServer, serviceName: string): Promise<Record<string, boolean>> {
  const response = await fetch(`${server.url}/nacos/v1/ns/instance/list?serviceName=${serviceName}`);
  const { hosts }: { hosts: { ip: string; healthy: boolean }[] } = await response.json();
  return Object.fromEntries(hosts.map(({ ip, healthy }) => [ip, healthy]));
}

async function revisionOf(server: TestServer, serviceName: string): Promise<number> {
  const response = await fetch(`${server.url}/nacos/v1/ns/instance/list?serviceName=${serviceName}`);
  const body: { revision: number } = await response.json();
  return body.revision;
}

async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Waits until something holds, looking every 50 ms. */
async function until(holds: () => boolean | Promise<boolean>, millis: number): Promise<boolean> {
  const end = Date.now() + millis;
  while (!(await holds())) {
    if (Date.now() > end) return false;
    await sleep(50);
  }
  return true;
}

function isAscending(revisions: readonly number[]): boolean {
  return revisions.every((revision, index) => index === 0 || revision > (revisions[index - 1] ?? 0));
}

test("U4: 500 changes of 50 services end on the newest with all of 1,000 subscribers, and none goes back", async ({
  expect,
}) => {
  const server = await serve();
  const services = Array.from({ length: 50 }, (_, index) => `service-${index}`);
  const clients: PushClient[] = [];
  onTestFinished(() => {
    for (const client of clients) client.close();
  });
  await inParallel(
    Array.from({ length: 1_000 }, (_, index) => index),
    20,
    async (index) => {
      const client = await PushClient.open(server.port);
      clients.push(client);
      await client.subscribe("service-0"); // All of them the first, and each one more.
      if (index % 50 !== 0) await client.subscribe(`service-${index % 50}`);
    },
  );
  const changes = Array.from({ length: 500 }, (_, index) => index);
  await inParallel(changes, 10, async (index) => {
    const serviceName = services[index % services.length] ?? "";
    await send(server, "POST", {
      serviceName,
      ip: `10.0.0.${index % 250}`,
      port: "80",
      weight: String(1 + index),
    });
  });
  const newest = new Map<string, number>();
  for (const serviceName of services) newest.set(serviceName, await revisionOf(server, serviceName));
  const isThere = (client: PushClient): boolean =>
    [...client.lists].every(([serviceName, { revision }]) => revision === newest.get(serviceName));
  await until(() => clients.every(isThere), 30 * SECOND);
  expect(clients.filter((client) => !isThere(client)).length).toBe(0);
  expect(clients.every((client) => [...client.revisions.values()].every(isAscending))).toBe(true);

  const repeated = { serviceName: "service-0", ip: "10.1.0.0", port: "80", weight: "451" };
  await send(server, "POST", repeated);
  newest.set("service-0", await revisionOf(server, "service-0"));
  expect(await until(() => clients.every(isThere), 30 * SECOND)).toBe(true);
  const before = clients.reduce((sum, { pushes }) => sum + pushes, 0);
  await send(server, "POST", repeated);
  const beat = `${server.url}/nacos/v1/ns/instance/beat?serviceName=service-0&ip=10.1.0.0&port=80`;
  for (let count = 0; count < 5; count++) await (await fetch(beat, { method: "PUT" })).text();
  await sleep(SECOND);
  expect(clients.reduce((sum, { pushes }) => sum + pushes, 0)).toBe(before);
});

test("U7: a subscriber that does not read for ten seconds gets the newest state, and holds nobody up", async ({
  expect,
}) => {
  const server = await serve();
  const [slow, quick] = [await PushClient.open(server.port), await PushClient.open(server.port)];
  onTestFinished(() => [slow, quick].forEach((client) => client.close()));
  for (const client of [slow, quick]) await client.subscribe("orders");
  slow.isReading = false;
  for (let weight = 1; weight <= 20; weight++) {
    await send(server, "POST", { serviceName: "orders", ip: "10.0.0.1", port: "80", weight: String(weight) });
    const revision = await revisionOf(server, "orders");
    expect(await until(() => quick.lists.get("orders")?.revision === revision, SECOND)).toBe(true);
  }
  await sleep(9 * SECOND);
  slow.isReading = true;
  const revision = await revisionOf(server, "orders");
  expect(await until(() => slow.lists.get("orders")?.revision === revision, 15 * SECOND)).toBe(true);
  expect(slow.pushes).toBeLessThanOrEqual(2);
});

test("U8, U10, U11: kill -9 amid changes loses no instance and no subscriber", async ({ expect }) => {
  const server = await serve();
  const publisher = await PushClient.open(server.port, "publisher");
  await publisher.ask("register", { serviceName: "orders", instance: { ip: "10.9.9.9", port: 80 } });
  const subscriber = await PushClient.open(server.port, "subscriber");
  await subscriber.subscribe("orders");
  for (let index = 0; index < 20; index++) {
    await send(server, "POST", { serviceName: "orders", ip: `10.0.0.${index}`, port: "80" });
  }
  await server.kill9();
  await server.restart();
  const back = await PushClient.open(server.port, "subscriber");
  const returned = await PushClient.open(server.port, "publisher");
  onTestFinished(() => [back, returned].forEach((client) => client.close()));
  await back.ask("resume", { resumeToken: subscriber.resumeToken });
  await returned.ask("resume", { resumeToken: publisher.resumeToken });
  await send(server, "POST", { serviceName: "orders", ip: "10.0.0.20", port: "80" });
  const revision = await revisionOf(server, "orders");
  expect(await until(() => back.lists.get("orders")?.revision === revision, 5 * SECOND)).toBe(true);
  expect(back.lists.get("orders")?.hosts).toHaveLength(22);
  await sleep(32 * SECOND); // What lives by beats goes; the session's instance stays.
  expect(await health(server, "orders")).toEqual({ "10.9.9.9": true });
});

test("U10: a publisher that does not come back after kill -9 is marked after 15 s and gone after 30 s", async ({
  expect,
}) => {
  const server = await serve();
  const publisher = await PushClient.open(server.port);
  await publisher.ask("register", { serviceName: "orders", instance: { ip: "10.9.9.9", port: 80 } });
  await server.kill9();
  await server.restart();
  const begun = Date.now();
  expect(await until(async () => (await health(server, "orders"))["10.9.9.9"] === false, 40 * SECOND)).toBe(
    true,
  );
  expect(Date.now() - begun).toBeGreaterThan(14 * SECOND);
  expect(await until(async () => Object.keys(await health(server, "orders")).length === 0, 20 * SECOND)).toBe(
    true,
  );
  expect(Date.now() - begun).toBeGreaterThan(29 * SECOND);
});

test("U9: a connection that breaks without a close frame ends its session at once", async ({ expect }) => {
  const server = await serve();
  const proxy = await TcpProxy.before(server.port);
  onTestFinished(() => proxy.stop());
  const publisher = await PushClient.open(proxy.port);
  await publisher.ask("register", { serviceName: "orders", instance: { ip: "10.9.9.9", port: 80 } });
  proxy.cut();
  expect(await until(async () => Object.keys(await health(server, "orders")).length === 0, 3 * SECOND)).toBe(
    true,
  );
});

test("U9, U11: a network that freezes for 45 s ends a publisher within the minute, and its client comes back", async ({
  expect,
}) => {
  const server = await serve();
  const proxy = await TcpProxy.before(server.port);
  onTestFinished(() => proxy.stop());
  const publisher = await PushClient.open(proxy.port, "publisher");
  const subscriber = await PushClient.open(server.port);
  onTestFinished(() => subscriber.close());
  await publisher.ask("register", { serviceName: "orders", instance: { ip: "10.9.9.9", port: 80 } });
  await subscriber.subscribe("orders");
  proxy.freeze();
  await sleep(40 * SECOND);
  expect(await health(server, "orders")).toEqual({ "10.9.9.9": true });
  expect(await until(() => subscriber.lists.get("orders")?.hosts.length === 0, 25 * SECOND)).toBe(true);
  proxy.cut();
  const back = await PushClient.open(proxy.port, "publisher");
  onTestFinished(() => back.close());
  await back.ask("register", { serviceName: "orders", instance: { ip: "10.9.9.9", port: 80 } });
  expect(await until(() => subscriber.lists.get("orders")?.hosts.length === 1, 5 * SECOND)).toBe(true);
});
