import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { startServer } from "../support/server-harness.mjs";

/** The commands of the README's section "Try it", each with the answer that stands below it; `…` stands for anything. */
function readmeCommands(): { command: string; answer: string }[] {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const block = /## Try it\n\n```sh\n(.*?)```/s.exec(readme)?.[1] ?? "";
  return [...block.matchAll(/^(curl .*)\n# → (.*)$/gm)].map(([, command = "", answer = ""]) => ({
    command,
    answer,
  }));
}

function toPattern(answer: string): RegExp {
  const parts = answer.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

test("W1 I6 E3 E4: the README's curl lines answer what it says", async ({ expect }) => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const commands = readmeCommands();
  expect(commands.length).toBeGreaterThan(5);
  for (const { command, answer } of commands) {
    const own = command.replaceAll("http://127.0.0.1:8848", server.url).replace(/^curl/, "curl -sS");
    const output = execFileSync("sh", ["-c", own], { encoding: "utf8" }).trim();
    expect(output, command).toMatch(toPattern(answer));
  }
});
