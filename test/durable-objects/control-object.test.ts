import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { uniqueName } from "../support/http.ts";

test("D5: an object that is merely asked for namespaces leaves nothing in storage", async ({ expect }) => {
  const control = env.CONTROL.getByName(uniqueName("control"));
  expect(await control.namespaces()).toEqual([]);
  const tables = await runInDurableObject(control, (_object, ctx) =>
    ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );
  expect(tables).toEqual([]);
});

test("S8, D1: namespaces are kept once each, in ascending order, over an eviction", async ({ expect }) => {
  const control = env.CONTROL.getByName(uniqueName("control"));
  for (const namespaceId of ["public", "b", "a", "__proto__", "b"]) await control.noteNamespace(namespaceId);
  const ascending = ["__proto__", "a", "b", "public"];
  expect(await control.namespaces()).toEqual(ascending);
  await evictDurableObject(control);
  expect(await control.namespaces()).toEqual(ascending);
});
