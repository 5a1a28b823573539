import { onTestFinished, test } from "vitest";
import { startServer } from "../support/server-harness.mjs";

const INSTANCES = 1_000;
const AT_ONCE = 20;

interface Host {
  ip: string;
  healthy: boolean;
}

async function serve() {
  const server = await startServer();
  onTestFinished(() => server.stop());
  return server;
}

function address(index: number): string {
  return `10.1.${index >> 8}.${index & 255}`;
}

/** Sends a write and throws unless it was answered `ok`. */
async function write(
  url: string,
  method: string,
  path: string,
  parameters: Record<string, string>,
): Promise<void> {
  const response = await fetch(`${url}/nacos/v1/ns/${path}?${new URLSearchParams(parameters).toString()}`, {
    method,
  });
  const text = await response.text();
  if (text !== "ok") throw new Error(`Expected ok, got ${response.status} ${text}`);
}

async function hosts(url: string, serviceName: string): Promise<Host[]> {
  const response = await fetch(`${url}/nacos/v1/ns/instance/list?serviceName=${serviceName}`);
  const body: { hosts: Host[] } = await response.json();
  return body.hosts;
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < count) await work(next++);
  });
  await Promise.all(workers);
}

test("D7: 1,000 instances are there in full after kill -9 right behind the last ok", async ({ expect }) => {
  const server = await serve();
  const registered: string[] = [];
  await inParallel(INSTANCES, async (index) => {
    await write(server.url, "POST", "instance", { serviceName: "many", ip: address(index), port: "80" });
    registered.push(address(index));
  });
  const lastOk = Date.now();
  process.kill(server.workerdPid, "SIGKILL");
  expect(Date.now() - lastOk).toBeLessThan(50);
  await server.kill9();
  await server.restart();
  const found = await hosts(server.url, "many");
  expect(found.map(({ ip }) => ip).toSorted()).toEqual(registered.toSorted());
  expect(found.every(({ healthy }) => healthy)).toBe(true);
});

test("D7: edits, deregistrations and settings outlive kill -9", async ({ expect }) => {
  const server = await serve();
  const parameters = { serviceName: "edited", port: "80" };
  await write(server.url, "POST", "service", { serviceName: "edited", protectThreshold: "0.25" });
  await write(server.url, "POST", "instance", { ...parameters, ip: "10.0.0.1", weight: "3" });
  await write(server.url, "POST", "instance", { ...parameters, ip: "10.0.0.2" });
  await write(server.url, "PATCH", "instance", {
    ...parameters,
    ip: "10.0.0.1",
    weight: "7",
    metadata: '{"k":"v"}',
  });
  await write(server.url, "DELETE", "instance", { ...parameters, ip: "10.0.0.2" });
  const before = await fetch(`${server.url}/nacos/v1/ns/instance/list?serviceName=edited`);
  const listed = await before.text();
  await server.kill9();
  await server.restart();
  const after = await fetch(`${server.url}/nacos/v1/ns/instance/list?serviceName=edited`);
  expect(await after.text()).toBe(listed);
  const service = await fetch(`${server.url}/nacos/v1/ns/service?serviceName=edited`);
  expect(await service.json()).toMatchObject({ protectThreshold: 0.25 });
  const names = await fetch(`${server.url}/nacos/v1/ns/service/list?pageNo=1&pageSize=10`);
  expect(await names.json()).toEqual({ count: 1, doms: ["edited"] });
});

test("D7 L5: after a minute's absence nobody is marked before a full fresh timeout", async ({ expect }) => {
  const server = await serve();
  const silent = { serviceName: "away", ip: "10.0.0.1", port: "80" };
  await write(server.url, "POST", "instance", silent);
  await server.kill9();
  await new Promise((done) => setTimeout(done, 60_000));
  await server.restart();
  const back = Date.now();
  const timeline: boolean[] = [];
  while (Date.now() - back < 13_500) {
    timeline.push(...(await hosts(server.url, "away")).map(({ healthy }) => healthy));
    await new Promise((done) => setTimeout(done, 500));
  }
  expect(timeline.length).toBeGreaterThan(20);
  expect(timeline.every(Boolean)).toBe(true);
  const deadline = back + 17_500;
  let found = await hosts(server.url, "away");
  while (found[0]?.healthy !== false && Date.now() < deadline) found = await hosts(server.url, "away");
  expect(found).toMatchObject([{ ip: "10.0.0.1", healthy: false }]);
}, 120_000);
