import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      // Pure functions share nothing, so the files need no process of their own.
      { test: { name: "domain", include: ["test/shared/**/*.test.ts"], isolate: false } },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "workerd",
          include: ["test/durable-objects/**/*.test.ts", "test/worker/**/*.test.ts"],
          // The first test of a file compiles the worker, which takes seconds on a loaded machine.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          // Real time and real processes: leases of seconds, starts and restarts.
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
