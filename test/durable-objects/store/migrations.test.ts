import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test, vi } from "vitest";
import { hasSchema, migrate, type Migration } from "../../../durable-objects/store/migrations.ts";
import { SERVICE_MIGRATIONS } from "../../../durable-objects/store/service-migrations.ts";
import { uniqueName } from "../../support/http.ts";
import { ServiceDriver } from "../../support/objects.ts";

const FIRST: Migration = {
  name: "first",
  statements: ["CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (1)"],
};
const SECOND: Migration = { name: "second", statements: ["ALTER TABLE a ADD COLUMN m INTEGER DEFAULT 2"] };
const THIRD: Migration = { name: "third", statements: ["INSERT INTO a VALUES (3, 4)"] };

/** Runs with the storage of an object that has nothing in it yet. */
async function withStorage<T>(run: (storage: DurableObjectStorage) => T): Promise<T> {
  const stub = env.SERVICE.getByName(uniqueName("empty"));
  return runInDurableObject(stub, (_object, ctx) => run(ctx.storage));
}

function rows(storage: DurableObjectStorage, statement: string): unknown[] {
  return storage.sql.exec(statement).toArray();
}

const HISTORY = "SELECT id, name FROM migration ORDER BY id";

test("D6: migrations run in order, each once", async ({ expect }) => {
  await withStorage((storage) => {
    migrate(storage, [FIRST, SECOND]);
    migrate(storage, [FIRST, SECOND]);
    expect(rows(storage, "SELECT * FROM a")).toEqual([{ n: 1, m: 2 }]);
    expect(rows(storage, HISTORY)).toEqual([
      { id: 1, name: "first" },
      { id: 2, name: "second" },
    ]);
  });
});

test("D6: data of an older version get only what is new", async ({ expect }) => {
  await withStorage((storage) => {
    migrate(storage, [FIRST]);
    migrate(storage, [FIRST, SECOND, THIRD]);
    expect(rows(storage, "SELECT * FROM a")).toEqual([
      { n: 1, m: 2 },
      { n: 3, m: 4 },
    ]);
    expect(rows(storage, HISTORY)).toHaveLength(3);
  });
});

test.for([
  {
    name: "data of a newer version",
    now: [FIRST],
    text: "migration 2 of these data to be 'none', found 'second'",
  },
  {
    name: "another name",
    now: [FIRST, THIRD],
    text: "migration 2 of these data to be 'third', found 'second'",
  },
  {
    name: "another order",
    now: [SECOND, FIRST],
    text: "migration 1 of these data to be 'second', found 'first'",
  },
  { name: "no migrations at all", now: [], text: "migration 1 of these data to be 'none', found 'first'" },
])("D6: $name is refused and nothing is changed", async ({ now, text }, { expect }) => {
  await withStorage((storage) => {
    migrate(storage, [FIRST, SECOND]);
    const before = [rows(storage, HISTORY), rows(storage, "SELECT * FROM a")];
    expect(() => migrate(storage, now)).toThrow(`Expected ${text}`);
    expect([rows(storage, HISTORY), rows(storage, "SELECT * FROM a")]).toEqual(before);
  });
});

test("D4, D6: a migration that fails half-way leaves nothing, and the next try runs it whole", async ({
  expect,
}) => {
  await withStorage((storage) => {
    const broken = {
      name: "second",
      statements: ["INSERT INTO a VALUES (9)", "INSERT INTO nowhere VALUES (1)"],
    };
    migrate(storage, [FIRST]);
    expect(() => migrate(storage, [FIRST, broken])).toThrow("nowhere");
    expect(rows(storage, "SELECT * FROM a")).toEqual([{ n: 1 }]);
    expect(rows(storage, HISTORY)).toHaveLength(1);
    migrate(storage, [FIRST, SECOND]);
    expect(rows(storage, HISTORY)).toHaveLength(2);
  });
});

test("D5: looking for a schema makes none", async ({ expect }) => {
  await withStorage((storage) => {
    expect(hasSchema(storage.sql)).toBe(false);
    expect(hasSchema(storage.sql)).toBe(false);
    migrate(storage, [FIRST]);
    expect(hasSchema(storage.sql)).toBe(true);
  });
});

test("D6: a service's migrations run once over evictions", async ({ expect }) => {
  const service = new ServiceDriver();
  for (let start = 0; start < 3; start++) {
    await service.register({ weight: start });
    await service.evict();
  }
  expect(await service.rows(HISTORY)).toEqual(
    SERVICE_MIGRATIONS.map(({ name }, index) => ({ id: index + 1, name })),
  );
});

test("D6: an object whose data have another history answers nothing and keeps them as they are", async ({
  expect,
}) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const service = new ServiceDriver();
  await service.register();
  await service.rows("UPDATE migration SET name = 'of other code'");
  await service.evict();
  const text = "Expected migration 1 of these data to be 'instance table', found 'of other code'";
  await expect(service.listText()).rejects.toThrow(text);
  await expect(service.register({ ip: "10.0.0.2" })).rejects.toThrow(text);
  vi.restoreAllMocks();
});
