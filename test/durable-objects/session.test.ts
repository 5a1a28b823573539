import { test } from "vitest";
import { MAX_FRAME_LENGTH } from "../../shared/schemas/push.ts";
import { ServiceDriver, SECOND, useManualClock } from "../support/objects.ts";
import { SessionClient, type Frame } from "../support/session-client.ts";

const clock = useManualClock();

async function bench(): Promise<{ service: ServiceDriver; client: SessionClient; name: Frame }> {
  const service = new ServiceDriver();
  const client = await SessionClient.open(service.ref.namespaceId);
  return { service, client, name: { serviceName: service.ref.serviceName } };
}

const INSTANCE = { ip: "10.0.0.1", port: 80 };

test("U1: the welcome says all that a client needs", async ({ expect }) => {
  const { client } = await bench();
  expect(client.welcome).toEqual({
    op: "welcome",
    sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    resumeToken: expect.stringMatching(/^any\.\d\./),
    pingMillis: 15_000,
    limits: { frameBytes: 65_536, subscriptions: 1_000, instances: 1_000 },
  });
});

test.for([
  { name: "no JSON", frame: "hello", says: "JSON object" },
  { name: "an array", frame: "[]", says: "JSON object" },
  { name: "an unknown op", frame: '{"id":7,"op":"steal"}', says: "steal", id: 7 },
  { name: "no op", frame: '{"id":"x"}', says: "undefined", id: "x" },
  { name: "a missing field", frame: '{"id":77,"op":"subscribe"}', says: "serviceName", id: 77 },
  {
    name: "an illegal port",
    frame: '{"id":77,"op":"register","serviceName":"s","instance":{"ip":"a","port":70000}}',
    says: "instance.port",
    id: 77,
  },
  {
    name: "an illegal group",
    frame: '{"id":77,"op":"subscribe","serviceName":"s","groupName":"a b"}',
    says: "group",
    id: 77,
  },
  {
    name: "an illegal address",
    frame: '{"id":77,"op":"register","serviceName":"s","instance":{"ip":"a b","port":1}}',
    says: "ip",
    id: 77,
  },
  { name: "too long a frame", frame: `{"a":"${"x".repeat(MAX_FRAME_LENGTH)}"}`, says: "too long" },
])(
  "U2: $name is answered with what is wrong, and the socket stays",
  async ({ frame, says, id }, { expect }) => {
    const { client, name } = await bench();
    client.send(frame);
    await client.until(() => client.frames.length > 1);
    const [, refused] = client.frames;
    expect(refused).toEqual({
      ...(id === undefined ? {} : { id }),
      error: { code: 20_002, message: expect.stringContaining(says) },
    });
    expect(await client.ask("query", name)).toMatchObject({ ok: true });
  },
);

test("U2: bytes are refused", async ({ expect }) => {
  const { client } = await bench();
  client.sendBytes(new Uint8Array([1, 2, 3]));
  await client.until(() => client.frames.length > 1);
  expect(client.frames[1]).toMatchObject({ error: { code: 20_002 } });
});

test("U3: subscribe and query hold the body of the list, byte for byte", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register({ metadata: new Map([["a", "1.50"]]) });
  await client.ask("subscribe", name);
  await client.ask("query", name);
  const body = await service.listText();
  const { revision } = await service.list();
  const [, subscribed, queried] = client.texts;
  expect(subscribed).toBe(`{"id":1,"ok":true,"data":{"revision":${revision},"list":${body}}}`);
  expect(queried).toBe(`{"id":2,"ok":true,"data":{"revision":${revision},"list":${body}}}`);
});

test("U3: the list is left out when the client has its revision", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register();
  const { revision } = await service.list();
  expect(await client.ask("subscribe", { ...name, revision })).toEqual({
    id: 1,
    ok: true,
    data: { revision },
  });
});

test("U3, U4: a service that is not there is waited for", async ({ expect }) => {
  const { service, client, name } = await bench();
  expect(await client.ask("subscribe", name)).toMatchObject({ ok: true, data: { list: { hosts: [] } } });
  await service.register();
  await client.until(() => client.pushes.length > 0);
  expect(client.pushes).toEqual([
    {
      op: "push",
      serviceName: service.ref.serviceName,
      groupName: "DEFAULT_GROUP",
      clusters: "",
      mode: "list",
      revision: (await service.list()).revision,
      list: await service.list(),
    },
  ]);
});

test("U4: beats and the same registration again push nothing", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register();
  await client.ask("subscribe", name);
  await service.register();
  await service.hotBeat();
  await service.beat();
  await service.register({ weight: 2 });
  await client.until(() => client.pushes.length > 0);
  expect(client.pushes).toHaveLength(1);
  expect(client.pushes[0]).toMatchObject({ list: { hosts: [{ weight: 2 }] } });
});

test("U4: many changes end on the newest revision, and no revision goes back", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("subscribe", name);
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => service.register({ ip: `10.0.1.${index}` })),
  );
  const { revision } = await service.list();
  await client.until(() => client.pushes.at(-1)?.["revision"] === revision);
  const revisions = client.pushes.map((push) => Number(push["revision"]));
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(client.pushes.at(-1)).toMatchObject({ list: await service.list() });
});

test("U4: lists of other clusters and other services push nothing", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register({ clusterName: "A" });
  await client.ask("subscribe", { ...name, clusters: "A" });
  await client.ask("subscribe", { serviceName: "other" });
  await client.ask("unsubscribe", { ...name, clusters: "A" });
  await service.register({ clusterName: "A", weight: 4 });
  await client.ask("query", name);
  expect(client.pushes).toEqual([]);
});

test("U5: in mode delta a push holds what differs", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register({ ip: "10.0.0.1" });
  await client.ask("subscribe", { ...name, mode: "delta" });
  await service.register({ ip: "10.0.0.2" });
  await client.until(() => client.pushes.length === 1);
  await client.ask("query", name); // Its acknowledgement has been read before.
  const before = (await service.list()).revision;
  await service.deregister("10.0.0.1");
  await client.until(() => client.pushes.length === 2);
  expect(client.pushes[1]).toEqual({
    op: "push",
    serviceName: service.ref.serviceName,
    groupName: "DEFAULT_GROUP",
    clusters: "",
    mode: "delta",
    from: before,
    revision: before + 1,
    changed: [],
    removed: [{ ip: "10.0.0.1", port: 80, clusterName: "DEFAULT" }],
  });
});

test("U6: an empty list is pushed with its reason", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register();
  await client.ask("subscribe", name);
  await service.patch({ enabled: false });
  await client.until(() => client.pushes.length === 1);
  await service.deregister();
  await client.ask("query", name);
  await service.register();
  await client.until(() => client.pushes.at(-1)?.["reason"] === undefined);
  await service.pass(clock, 31 * SECOND);
  await client.until(() => client.pushes.at(-1)?.["reason"] === "expired");
  expect(client.pushes[0]).toMatchObject({ reason: "disabled", list: { hosts: [] } });
});

test("U7: a client that does not acknowledge gets the newest state once, others are not held up", async ({
  expect,
}) => {
  const { service, client, name } = await bench();
  const slow = await SessionClient.open(service.ref.namespaceId);
  slow.acknowledges = false;
  for (const one of [client, slow]) await one.ask("subscribe", name);
  for (let weight = 1; weight <= 5; weight++) {
    await service.register({ weight });
    await client.until(() => client.pushes.length === weight);
  }
  expect(slow.pushes).toHaveLength(1);
  const [{ revision } = {}] = slow.pushes;
  slow.send({ op: "ack", ...name, revision });
  await slow.until(() => slow.pushes.length === 2);
  expect(slow.pushes[1]).toMatchObject({ list: { hosts: [{ weight: 5 }] } });
});

test("U7: what is not acknowledged is sent again twice, then the socket is closed", async ({ expect }) => {
  const { service, client, name } = await bench();
  client.acknowledges = false;
  await client.ask("subscribe", name);
  await client.ask("register", { ...name, instance: INSTANCE });
  await client.until(() => client.pushes.length === 1);
  for (const pushes of [2, 3]) {
    clock.move(10 * SECOND);
    await client.fireAlarm();
    await client.until(() => client.pushes.length === pushes);
  }
  clock.move(10 * SECOND);
  await client.fireAlarm();
  await client.until(() => client.closed !== null);
  expect(client.closed).toMatchObject({ code: 4_002 });
  expect(await service.health()).toEqual({});
});

test("U9: what a session registers lives without beats, and goes with its socket", async ({ expect }) => {
  const { service, client, name } = await bench();
  expect(await client.ask("register", { ...name, instance: INSTANCE })).toEqual({ id: 1, ok: true });
  await service.pass(clock, 20 * SECOND);
  expect(await service.health()).toEqual({ "10.0.0.1": true });
  client.close();
  await expect.poll(async () => service.health()).toEqual({});
  expect((await service.eventTypes()).at(-1)).toBe("deregistered");
});

test("U9: bye ends the session before it is answered", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  expect(await client.ask("bye")).toEqual({ id: 2, ok: true });
  expect(await service.health()).toEqual({});
  await client.until(() => client.closed !== null);
  expect(client.closed).toMatchObject({ code: 1_000 });
});

test("U9: a socket that misses three pings is closed by the sweep", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  clock.move(44 * SECOND);
  await client.fireAlarm();
  expect(await service.health()).toEqual({ "10.0.0.1": true });
  clock.move(SECOND);
  await client.fireAlarm();
  await client.until(() => client.closed !== null);
  expect(client.closed).toMatchObject({ code: 4_000 });
  expect(await service.health()).toEqual({});
});

test("U9: deregister takes an instance away, there or not", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  for (const _ of [1, 2]) {
    expect(await client.ask("deregister", { ...name, instance: INSTANCE })).toMatchObject({ ok: true });
  }
  expect(await service.health()).toEqual({});
});

test("U12: update changes only what is sent, and only what the session publishes", async ({ expect }) => {
  const { service, client, name } = await bench();
  const metadata = { a: "1", b: "2" };
  await client.ask("register", { ...name, instance: { ...INSTANCE, weight: 3, metadata } });
  await client.ask("update", { ...name, instance: { ...INSTANCE, metadata: { a: null, c: 3 } } });
  expect((await service.list()).hosts).toMatchObject([{ weight: 3, metadata: { b: "2", c: "3" } }]);
  const other = { ip: "10.0.0.9", port: 80 };
  expect(await client.ask("update", { ...name, instance: other })).toMatchObject({
    error: { code: 20_004, message: expect.stringContaining("10.0.0.9:80") },
  });
});

test("U9: what the service refuses is refused, and not published", async ({ expect }) => {
  const { service, client, name } = await bench();
  await service.register({ ip: "10.0.0.5", ephemeral: false });
  expect(await client.ask("register", { ...name, instance: INSTANCE })).toMatchObject({
    error: { code: 21_004, message: expect.stringContaining("persistent") },
  });
  await client.ask("bye");
  expect(await service.health()).toEqual({ "10.0.0.5": true });
});

test("U13: a registration over HTTP takes an instance out of its session", async ({ expect }) => {
  const { service, client, name } = await bench();
  await client.ask("register", { ...name, instance: INSTANCE });
  await service.register();
  await client.ask("bye");
  expect(await service.health()).toEqual({ "10.0.0.1": true });
});

test("U15: a session has at most a thousand subscriptions and as many instances", async ({ expect }) => {
  const { service, client, name } = await bench();
  for (let count = 0; count < 1_000; count++) {
    client.send({ op: "register", ...name, instance: { ip: "10.0.0.1", port: count } });
    client.send({ op: "subscribe", serviceName: "other", clusters: `c${count}` });
  }
  await client.until(() => client.texts.length === 2_001, 20_000);
  const refusal = { error: { code: 20_002, message: expect.stringContaining("1000") } };
  const more = { ip: "10.0.0.2", port: 1 };
  expect(await client.ask("subscribe", { serviceName: "other", clusters: "more" })).toMatchObject(refusal);
  expect(await client.ask("register", { ...name, instance: more })).toMatchObject(refusal);
  const known = { ip: "10.0.0.1", port: 7 };
  expect(await client.ask("subscribe", { serviceName: "other", clusters: "c7" })).toMatchObject({ ok: true });
  expect(await client.ask("register", { ...name, instance: known })).toMatchObject({ ok: true });
  expect((await service.list()).hosts).toHaveLength(1_000);
});

test("U16: after the last session there is nothing due", async ({ expect }) => {
  const { client } = await bench();
  await client.ask("bye");
  clock.move(HOUR_MS);
  await client.fireAlarm();
  expect(await client.alarmAt()).toBe(null);
});

const HOUR_MS = 3_600 * SECOND;
