import { test } from "vitest";
import type { ServiceRef } from "../../shared/naming/service-ref.ts";
import { HOT_LISTS_PER_SECOND, HotLists, KEEP_LIST_MS } from "../../worker/hot-lists.ts";

const REF: ServiceRef = { namespaceId: "public", groupName: "DEFAULT_GROUP", serviceName: "orders" };
const OTHER: ServiceRef = { ...REF, serviceName: "users" };

/** Hot lists over an object whose answer can be changed, with a clock that is moved by hand. */
class Bench {
  now = 1_000_000;
  value = "first";
  asked = 0;
  readonly lists = new HotLists(() => this.now);

  async read(ref = REF): Promise<string> {
    const response = await this.lists.list(ref, "key", async () => {
      this.asked++;
      return new Response(this.value);
    });
    return response.text();
  }

  /** Asks until the list is kept. */
  async heat(ref = REF): Promise<void> {
    for (let count = 0; count < HOT_LISTS_PER_SECOND + 2; count++) await this.read(ref);
    this.asked = 0;
  }
}

test("V8: below the rate every read is answered by the object", async ({ expect }) => {
  const bench = new Bench();
  for (let count = 0; count < 3 * HOT_LISTS_PER_SECOND; count++) {
    await bench.read();
    bench.now += 1_000 / (HOT_LISTS_PER_SECOND - 1);
  }
  expect(bench.asked).toBe(3 * HOT_LISTS_PER_SECOND);
});

test("V8: above it a list is kept, for no longer than its time", async ({ expect }) => {
  const bench = new Bench();
  await bench.heat();
  bench.value = "second";
  expect([await bench.read(), bench.asked]).toEqual(["first", 0]);
  bench.now += KEEP_LIST_MS - 1;
  expect([await bench.read(), bench.asked]).toEqual(["first", 0]);
  bench.now += 1;
  expect([await bench.read(), bench.asked]).toEqual(["second", 1]);
});

test("V8, V7: a write to the service forgets its lists at once, and no other's", async ({ expect }) => {
  const bench = new Bench();
  await bench.heat();
  await bench.heat(OTHER);
  await bench.lists.whileWriting(REF, async () => {
    bench.value = "written";
  });
  expect(await bench.read()).toBe("written");
  expect(await bench.read(OTHER)).toBe("first");
});

test("V8, V7: a write that fails forgets them too", async ({ expect }) => {
  const bench = new Bench();
  await bench.heat();
  const failing = bench.lists.whileWriting(REF, async () => {
    bench.value = "perhaps written";
    throw new Error("lost");
  });
  await expect(failing).rejects.toThrow("lost");
  expect(await bench.read()).toBe("perhaps written");
});

test("V8, V7: an answer from before a write is not kept after it", async ({ expect }) => {
  const bench = new Bench();
  await bench.heat();
  bench.now += KEEP_LIST_MS;
  const answer = Promise.withResolvers<Response>();
  const slow = bench.lists.list(REF, "key", () => answer.promise);
  await bench.lists.whileWriting(REF, async () => {
    bench.value = "written";
  });
  answer.resolve(new Response("from before"));
  expect(await (await slow).text()).toBe("from before");
  expect(await bench.read()).toBe("written");
});

test("V8, V7: an answer that is asked for during a write is not kept", async ({ expect }) => {
  const bench = new Bench();
  await bench.heat();
  bench.now += KEEP_LIST_MS;
  await bench.lists.whileWriting(REF, async () => {
    expect(await bench.read()).toBe("first");
    bench.value = "written";
  });
  expect(await bench.read()).toBe("written");
});

test("V8: an answer that is no list is passed on and not kept", async ({ expect }) => {
  const lists = new HotLists(() => 0);
  for (let count = 0; count < 2 * HOT_LISTS_PER_SECOND; count++) {
    const response = await lists.list(REF, "key", async () => new Response("broken", { status: 500 }));
    expect(response.status).toBe(500);
  }
});

test("V8: many lists do not pile up", async ({ expect }) => {
  const bench = new Bench();
  for (let index = 0; index < 5_000; index++) await bench.read({ ...REF, serviceName: `s${index}` });
  await bench.heat();
  bench.value = "second";
  expect(await bench.read()).toBe("first");
});
