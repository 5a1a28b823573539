import { test } from "vitest";
import { version } from "../../package.json";
import { VERSION } from "../../shared/version.ts";

test("the version that the server tells is the package's", ({ expect }) => {
  expect(VERSION).toBe(version);
});
