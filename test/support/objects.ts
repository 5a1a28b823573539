import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import type { NamespaceObject } from "../../durable-objects/namespace-object.ts";
import type { ServiceObject } from "../../durable-objects/service-object.ts";
import { beatCallUrl, listCallUrl } from "../../shared/hot-call.ts";
import type { Beat } from "../../shared/naming/beat.ts";
import type { CatalogueEntry } from "../../shared/naming/catalogue.ts";
import type { InstanceEdit } from "../../shared/naming/edit.ts";
import type { Registration } from "../../shared/naming/registration.ts";
import { DEFAULT_SETTINGS } from "../../shared/naming/service.ts";
import { serviceObjectName, type ServiceRef } from "../../shared/naming/service-ref.ts";
import { ORIGIN, registration } from "./builders.ts";
import { uniqueName } from "./http.ts";

export { ORIGIN, registration };

export const SECOND = 1_000;
export const HOUR = 3_600_000;

/** How far ahead of real time the manual clock starts. */
const AHEAD = 24 * HOUR;

/** The wall clock of all objects of a test file, moved by hand. */
export interface ManualClock {
  now(): number;
  move(milliseconds: number): void;
}

const manualClock: ManualClock = {
  now: () => Date.now(),
  move: (milliseconds) => void vi.setSystemTime(Date.now() + milliseconds),
};

/**
 * Stops `Date` in the whole isolate, objects included, and over evictions. It stands a day ahead of real time, where no
 * real alarm fires by itself: a test runs the alarm when it wants it to fire.
 */
export function stopClock(): ManualClock {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AHEAD });
  return manualClock;
}

/** Lets `Date` run again. */
export function startClock(): void {
  vi.useRealTimers();
}

/** Stops the clock for each test of a file. */
export function useManualClock(): ManualClock {
  beforeEach(() => void stopClock());
  afterEach(startClock);
  return manualClock;
}

/** Metadata that set an instance's own timings. */
export function timings(interval: number, timeout: number, removal: number): ReadonlyMap<string, string> {
  return new Map([
    ["preserved.heart.beat.interval", String(interval)],
    ["preserved.heart.beat.timeout", String(timeout)],
    ["preserved.ip.delete.timeout", String(removal)],
  ]);
}

/** The fields of a list's body that the tests of the objects look at. */
export interface ListBody {
  readonly revision: number;
  readonly lastRefTime: number;
  readonly reachProtectionThreshold: boolean;
  readonly hosts: readonly {
    readonly ip: string;
    readonly port: number;
    readonly clusterName: string;
    readonly healthy: boolean;
  }[];
}

/** The service of one test: its object, and short forms of the calls that tests make most. */
export class ServiceDriver {
  readonly ref: ServiceRef;
  readonly stub: DurableObjectStub<ServiceObject>;

  constructor(ref: Partial<ServiceRef> = {}) {
    const own = {
      namespaceId: uniqueName("ns"),
      groupName: "DEFAULT_GROUP",
      serviceName: uniqueName("orders"),
    };
    this.ref = { ...own, ...ref };
    this.stub = env.SERVICE.getByName(serviceObjectName(this.ref));
  }

  async register(changes: Partial<Registration> = {}): Promise<unknown> {
    return this.stub.register(this.ref, registration(changes), ORIGIN);
  }

  async deregister(ip = "10.0.0.1", clusterName: string | null = null): Promise<number> {
    return this.stub.deregister(this.ref, { ip, port: 80, clusterName }, ORIGIN);
  }

  async patch(edit: InstanceEdit, ip = "10.0.0.1"): Promise<unknown> {
    return this.stub.patchInstance(this.ref, { ip, port: 80, clusterName: null }, edit, ORIGIN);
  }

  async create(): Promise<unknown> {
    return this.stub.createService(this.ref, DEFAULT_SETTINGS, ORIGIN);
  }

  async delete(): Promise<unknown> {
    return this.stub.deleteService(this.ref, ORIGIN);
  }

  /** A beat by RPC, light unless it brings a registration. Answers its code. */
  async beat(beat: Partial<Beat> = {}): Promise<number | null> {
    const sent = { ip: "10.0.0.1", port: 80, clusterName: null, registration: null, ...beat };
    const answer = await this.stub.beat(this.ref, sent, ORIGIN.by);
    return answer.ok ? answer.value.code : null;
  }

  /** A full beat with the defaults of Nacos. Answers its code. */
  async fullBeat(ip = "10.0.0.1"): Promise<number | null> {
    return this.beat({ ip, registration: registration() });
  }

  /** A beat by the hot way. Answers the status. */
  async hotBeat(ip = "10.0.0.1"): Promise<number> {
    const response = await this.stub.fetch(beatCallUrl(this.ref, ip, 80, null));
    await response.text(); // An answer that nobody reads to its end keeps its object from being evicted.
    return response.status;
  }

  async listText(): Promise<string> {
    return (await this.stub.fetch(listCallUrl(this.ref, "", false))).text();
  }

  async list(): Promise<ListBody> {
    // The object wrote it.
    return JSON.parse(await this.listText());
  }

  /** Health by ip, as the list shows it. */
  async health(): Promise<Record<string, boolean>> {
    return Object.fromEntries((await this.list()).hosts.map(({ ip, healthy }) => [ip, healthy]));
  }

  /** Types of all events, oldest first. */
  async eventTypes(): Promise<string[]> {
    const { events } = await this.stub.getEvents(this.ref, 0, 1_000);
    return events.map(({ type }) => type).toReversed();
  }

  /** Everything that can be asked of the service. The clocks of leases are left out: they are memory. */
  async view(): Promise<unknown> {
    const instances = await this.stub.getInstances(this.ref);
    return {
      list: await this.listText(),
      instances: instances.map((instance) => ({ ...instance, lastBeat: null })),
      service: await this.stub.getService(this.ref),
      events: await this.stub.getEvents(this.ref, 0, 1_000),
    };
  }

  /** When the last beat of an instance came, as the object knows it. */
  async lastBeat(ip = "10.0.0.1"): Promise<number | null> {
    const found = await this.stub.getInstance(this.ref, { ip, port: 80, clusterName: null });
    return found.ok ? found.value.lastBeat : null;
  }

  async evict(): Promise<void> {
    await evictDurableObject(this.stub);
  }

  async alarmAt(): Promise<number | null> {
    return runInDurableObject(this.stub, (_object, ctx) => ctx.storage.getAlarm());
  }

  /** Fires the pending alarm now; says whether there was one. */
  async fireAlarm(): Promise<boolean> {
    return runDurableObjectAlarm(this.stub);
  }

  /** Lets time pass with every alarm on the dot. */
  async pass(clock: ManualClock, milliseconds: number): Promise<void> {
    const end = clock.now() + milliseconds;
    for (;;) {
      const at = await this.alarmAt();
      if (at === null || at > end) break;
      clock.move(Math.max(0, at - clock.now()));
      await this.fireAlarm();
    }
    clock.move(end - clock.now());
  }

  /** Rows of the object's database, read past the object: nothing is done that a clock made due. */
  async rows(statement: string): Promise<Record<string, SqlStorageValue>[]> {
    return readRows(this.stub, statement);
  }
}

/** Rows of an object's database. */
export async function readRows(
  stub: DurableObjectStub<ServiceObject> | DurableObjectStub<NamespaceObject>,
  statement: string,
): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(stub, (_object: unknown, ctx) => ctx.storage.sql.exec(statement).toArray());
}

/** The tables that our code made in an object's database. */
export async function tablesOf(
  stub: DurableObjectStub<ServiceObject> | DurableObjectStub<NamespaceObject>,
): Promise<unknown[]> {
  const ours = "type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";
  return (await readRows(stub, `SELECT name FROM sqlite_master WHERE ${ours} ORDER BY name`)).map(
    ({ name }) => name,
  );
}

/** What a namespace's catalogue says of all its services. */
export async function catalogueOf(namespaceId: string): Promise<CatalogueEntry[]> {
  const page = await env.NAMESPACE.getByName(namespaceId).page({ groupName: null, offset: 0, limit: 1_000 });
  return page.entries;
}

/** Makes the next statements of an object's database that begin so throw, as often as told. Answers how to end it. */
export async function breakWrites(
  stub: DurableObjectStub<ServiceObject> | DurableObjectStub<NamespaceObject>,
  start: string,
  times = 1,
): Promise<() => Promise<void>> {
  await runInDurableObject(stub, (_object: unknown, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    let left = times;
    sql.exec = (statement, ...values) => {
      if (left > 0 && statement.trimStart().startsWith(start)) {
        left--;
        throw new Error(`disk I/O error at ${start}`);
      }
      return exec(statement, ...values);
    };
  });
  return () =>
    runInDurableObject(stub, (_object: unknown, { storage }) => {
      Reflect.deleteProperty(storage.sql, "exec");
    });
}

/** Counts the statements of an object's database that are no SELECT, from now on. */
export async function countWrites(stub: DurableObjectStub<ServiceObject>): Promise<() => readonly string[]> {
  const written: string[] = [];
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    sql.exec = (statement, ...values) => {
      if (!statement.trimStart().startsWith("SELECT")) written.push(statement.trim());
      return exec(statement, ...values);
    };
  });
  return () => written;
}
