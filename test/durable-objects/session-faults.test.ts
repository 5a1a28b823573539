import { runInDurableObject } from "cloudflare:test";
import { test } from "vitest";
import { ServiceDriver, SECOND, useManualClock } from "../support/objects.ts";
import { SessionClient, type Frame } from "../support/session-client.ts";

const clock = useManualClock();
const INSTANCE = { ip: "10.0.0.1", port: 80 };

async function bench(): Promise<{ service: ServiceDriver; client: SessionClient; name: Frame }> {
  const service = new ServiceDriver();
  const client = await SessionClient.open(service.ref.namespaceId, "one");
  return { service, client, name: { serviceName: service.ref.serviceName } };
}

/** Makes deliveries to the client's session object fail until told otherwise. */
async function breakDeliveries(client: SessionClient): Promise<() => Promise<void>> {
  await runInDurableObject(client.stub, (object) => {
    object.deliver = () => {
      throw new Error("not now");
    };
  });
  return () =>
    runInDurableObject(client.stub, (object) => {
      Reflect.deleteProperty(object, "deliver");
    });
}

test("U16: a hibernated session answers pings, and goes on when something happens", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("subscribe", name);
  await client.evict("hibernate");
  client.send("ping");
  await client.until(() => client.texts.includes("pong"));
  await service.register();
  await client.until(() => client.pushes.length === 1);
  await client.evict("hibernate");
  expect(await client.ask("register", { ...name, instance: { ip: "10.0.0.2", port: 80 } })).toMatchObject({
    ok: true,
  });
  await client.until(() => client.pushes.length === 2);
  expect(client.pushes[1]).toMatchObject({ list: await service.list() });
});

test("U10: a session whose object was reset is awaited: marked after 15 s, gone after 30 s", async ({
  expect,
}) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  await client.evict("close");
  await client.fireAlarm(); // Notices that the socket is gone.
  await service.pass(clock, 15 * SECOND - 1);
  await client.fireAlarm();
  expect(await service.health()).toEqual({ "10.0.0.1": true });
  await service.pass(clock, 1);
  await client.fireAlarm();
  expect(await service.health()).toEqual({ "10.0.0.1": false });
  await service.pass(clock, 15 * SECOND - 1);
  expect(await service.health()).toEqual({ "10.0.0.1": false });
  await service.pass(clock, SECOND);
  expect(await service.health()).toEqual({});
  expect(await service.eventTypes()).toEqual(["registered", "unhealthy", "expired"]);
});

test("U10, U11: a client that resumes in time keeps its instances without a flip", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("subscribe", name);
  await client.ask("register", { ...name, instance: INSTANCE });
  const { revision } = await service.list();
  await client.evict("close");
  await client.fireAlarm();
  clock.move(10 * SECOND);
  const back = await SessionClient.open(service.ref.namespaceId, "one");
  const resumeToken = client.welcome["resumeToken"];
  expect(await back.ask("resume", { resumeToken })).toMatchObject({
    ok: true,
    data: { sessionId: client.welcome["sessionId"], instances: 1, subscriptions: 1 },
  });
  for (let sweep = 0; sweep < 2; sweep++) {
    await service.pass(clock, 20 * SECOND);
    await back.fireAlarm();
  }
  expect([await service.health(), (await service.list()).revision]).toEqual([{ "10.0.0.1": true }, revision]);
  await back.ask("register", { ...name, instance: { ip: "10.0.0.2", port: 80 } });
  await back.until(() => back.pushes.at(-1)?.["revision"] === revision + 1);
  expect(back.pushes.at(-1)).toMatchObject({ list: await service.list() });
});

test("U11: a client that resumes after it was marked has its instances healthy again", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  await client.evict("close");
  await client.fireAlarm();
  await service.pass(clock, 16 * SECOND);
  await client.fireAlarm();
  expect(await service.health()).toEqual({ "10.0.0.1": false });
  const back = await SessionClient.open(service.ref.namespaceId, "one");
  await back.ask("resume", { resumeToken: client.welcome["resumeToken"] });
  expect(await service.health()).toEqual({ "10.0.0.1": true });
  await service.pass(clock, 20 * SECOND);
  expect(await service.health()).toEqual({ "10.0.0.1": true });
});

test("U11: a session is taken up while its old socket still hangs, in another object too", async ({
  expect,
}) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  await client.ask("subscribe", name);
  let last = client;
  for (const clientId of ["one", "two", "three", "four", "five"]) {
    const next = await SessionClient.open(service.ref.namespaceId, clientId);
    const answer = await next.ask("resume", { resumeToken: currentToken(last) });
    expect(answer).toMatchObject({ ok: true, data: { instances: 1, subscriptions: 1 } });
    await last.until(() => last.closed !== null);
    expect(last.closed).toMatchObject({ code: 4_001 });
    last = next;
  }
  expect(await service.eventTypes()).not.toContain("unhealthy");
  expect(await service.health()).toEqual({ "10.0.0.1": true });
  await service.register({ ip: "10.0.0.2" });
  await last.until(() => last.pushes.some((push) => JSON.stringify(push).includes("10.0.0.2")));
  last.close();
  await expect.poll(async () => service.health()).toEqual({ "10.0.0.2": true });
});

function currentToken(client: SessionClient): unknown {
  const resumed = client.frames.find(
    ({ data }) => typeof data === "object" && data !== null && "resumeToken" in data,
  );
  const data = resumed?.["data"];
  return typeof data === "object" && data !== null && "resumeToken" in data
    ? data.resumeToken
    : client.welcome["resumeToken"];
}

test("U11: unknown tokens are refused, and the session goes on as a new one", async ({ expect }) => {
  const { service, client, name } = await bench();
  const token = String(client.welcome["resumeToken"]);
  for (const resumeToken of ["", "nonsense", `${token}0`, token.replace(/\.\d\./, ".3."), token]) {
    expect(await client.ask("resume", { resumeToken })).toMatchObject({ error: { code: 20_004 } });
  }
  expect(await client.ask("register", { ...name, instance: INSTANCE })).toMatchObject({ ok: true });
  const other = await SessionClient.open(service.ref.namespaceId, "one");
  await other.ask("subscribe", name);
  expect(await other.ask("resume", { resumeToken: token })).toMatchObject({ error: { code: 20_002 } });
});

test("U11: a token of another namespace is unknown", async ({ expect }) => {
  const { client } = await bench();
  const elsewhere = await SessionClient.open(new ServiceDriver().ref.namespaceId, "one");
  expect(await elsewhere.ask("resume", { resumeToken: client.welcome["resumeToken"] })).toMatchObject({
    error: { code: 20_004 },
  });
});

test("U8: a delivery that fails three times arrives in the end, and is an event", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("subscribe", name);
  const mend = await breakDeliveries(client);
  await service.register();
  await service.register({ weight: 2 });
  for (let failure = 0; failure < 4; failure++) {
    await service.pass(clock, 10 * SECOND);
    await service.hotBeat();
  }
  expect(client.pushes).toEqual([]);
  expect(await service.eventTypes()).toContain("delivery-failed");
  await mend();
  await service.register({ weight: 3 });
  for (let wait = 0; wait < 4; wait++) {
    await service.pass(clock, 10 * SECOND);
    await service.hotBeat();
  }
  await client.until(() => client.pushes.length > 0);
  expect(client.pushes[0]).toMatchObject({ list: { hosts: [{ weight: 3 }] } });
});

test("U8: a service evicted between change and delivery delivers when it wakes", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("subscribe", name);
  const mend = await breakDeliveries(client);
  await service.register();
  await service.evict();
  await mend();
  await service.pass(clock, 6 * SECOND);
  await client.until(() => client.pushes.length === 1);
  expect(client.pushes[0]).toMatchObject({ list: await service.list() });
});

test("U8: a service that nobody is subscribed to any more stops telling the object", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("subscribe", name);
  expect(await service.stub.subscribedSessions(service.ref)).toHaveLength(1);
  client.close();
  await expect.poll(async () => service.stub.subscribedSessions(service.ref)).toEqual([]);
});

test("U9: a session's end that no service hears of is told again by alarm", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  await runInDurableObject(service.stub, (object) => {
    object.endSession = () => Promise.reject(new Error("not now"));
  });
  client.close();
  await expect.poll(async () => phases(client)).toEqual(["ending"]);
  await service.evict();
  await client.evict("hibernate");
  clock.move(70 * SECOND);
  await client.fireAlarm();
  expect(await service.health()).toEqual({});
});

test("U14: a list is answered when its revision has passed, or at the end of the wait", async ({
  expect,
}) => {
  const { service } = await bench();
  await service.register();
  const { revision } = await service.list();
  const query = `serviceName=${service.ref.serviceName}&namespaceId=${service.ref.namespaceId}`;
  const { exports } = await import("cloudflare:workers");
  const ask = async (known: number, waitMillis: number): Promise<{ revision: number }> => {
    const path = `/v1/ns/instance/list?${query}&revision=${known}&waitMillis=${waitMillis}`;
    return (await exports.default.fetch(`http://nacre${path}`)).json();
  };
  expect((await ask(revision - 1, 30_000)).revision).toBe(revision);
  expect((await ask(revision, 0)).revision).toBe(revision);
  const waiting = ask(revision, 30_000);
  await service.register({ ip: "10.0.0.2" });
  expect((await waiting).revision).toBe(revision + 1);
});

/** The phases of all sessions that the client's object has stored. */
async function phases(client: SessionClient): Promise<unknown[]> {
  return runInDurableObject(client.stub, (_object: unknown, { storage }) =>
    storage.sql
      .exec("SELECT phase FROM session")
      .toArray()
      .map(({ phase }) => phase),
  );
}
