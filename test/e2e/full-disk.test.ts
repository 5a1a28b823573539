import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { startServer } from "../support/server-harness.mjs";

const SMALL = "size=3m";
const LARGE = "size=30m";

/** Mounts a file system of 3 MB; `null` where that is not allowed. */
function mountSmall(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "nacre-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", SMALL, "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return null; // Not root, or not Linux.
  }
}

async function send(url: string, method: string, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${url}/nacos/v1/ns/${path}`, { method });
  return { status: response.status, body: await response.text() };
}

test("D8: a full disk refuses writes, loses nothing, and heals by itself", async (context) => {
  const { expect } = context;
  const folder = mountSmall();
  context.skip(folder === null, "a file system of a given size cannot be mounted here");
  if (folder === null) return;
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const server = await startServer({ data: join(folder, "data") });
  onTestFinished(() => server.stop());
  const acknowledged: string[] = [];
  let refused = 0;
  for (let index = 0; index < 60; index++) {
    const answer = await send(server.url, "POST", `instance?serviceName=s${index}&ip=10.0.0.1&port=80`);
    if (answer.body === "ok") acknowledged.push(`s${index}`);
    else refused++;
    expect([200, 500]).toContain(answer.status);
  }
  expect([acknowledged.length > 0, refused > 0]).toEqual([true, true]);
  expect(await send(server.url, "GET", "instance/list?serviceName=s0")).toMatchObject({ status: 200 });
  execFileSync("mount", ["-o", `remount,${LARGE}`, folder]);
  const deadline = Date.now() + 20_000;
  let answer = await send(server.url, "POST", "instance?serviceName=after&ip=10.0.0.1&port=80");
  while (answer.status !== 200 && Date.now() < deadline) {
    answer = await send(server.url, "POST", "instance?serviceName=after&ip=10.0.0.1&port=80");
  }
  expect(answer).toEqual({ status: 200, body: "ok" });
  for (const serviceName of acknowledged) {
    const list = await send(server.url, "GET", `instance/list?serviceName=${serviceName}`);
    expect(JSON.parse(list.body)).toMatchObject({ hosts: [{ ip: "10.0.0.1", healthy: true }] });
  }
});
