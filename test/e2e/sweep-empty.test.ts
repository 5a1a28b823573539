import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { startServer } from "../support/server-harness.mjs";

function databases(dataDir: string): number {
  const names = readdirSync(join(dataDir, "nacre-ServiceObject"));
  return names.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)).length;
}

test("D5: what workerd leaves of names that nobody registered goes at the next start", async ({ expect }) => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const api = `${server.url}/nacos/v1/ns/instance`;
  await fetch(`${api}?serviceName=real&ip=10.0.0.1&port=80`, { method: "POST" });
  for (const name of ["a", "b", "c"]) await fetch(`${api}/list?serviceName=${name}`);
  expect(databases(server.dataDir)).toBe(4);
  await server.kill9();
  await server.restart();
  expect(databases(server.dataDir)).toBe(1);
  const list = await fetch(`${api}/list?serviceName=real`);
  expect(await list.json()).toMatchObject({ hosts: [{ ip: "10.0.0.1" }] });
});
