import { exports } from "cloudflare:workers";
import { env } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { SessionObject } from "../../durable-objects/session-object.ts";
import { sessionObjectName, shardOf } from "../../shared/push/session-name.ts";

/** A frame as it came; tests look at the fields they are about. */
export type Frame = Record<string, unknown>;

const SHARDS = 4;

/** A client of `/session` in one namespace, which keeps all that it is sent. */
export class SessionClient {
  readonly frames: Frame[] = [];
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | null = null;
  readonly #socket: WebSocket;
  readonly #clientId: string;
  readonly #namespaceId: string;
  readonly #waiting = new Set<() => void>();
  #nextId = 1;
  /** Whether pushes are acknowledged at once. */
  acknowledges = true;

  private constructor(socket: WebSocket, namespaceId: string, clientId: string) {
    this.#socket = socket;
    this.#namespaceId = namespaceId;
    this.#clientId = clientId;
    socket.addEventListener("message", ({ data }) => this.#take(String(data)));
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
      for (const wake of this.#waiting) wake();
    });
    socket.accept();
  }

  /** Opens a session and waits for its welcome. */
  static async open(namespaceId: string, clientId = crypto.randomUUID()): Promise<SessionClient> {
    const query = new URLSearchParams({ namespaceId, clientId });
    const response = await exports.default.fetch(`http://nacre/nacos/v1/ns/session?${query.toString()}`, {
      headers: { Upgrade: "websocket" },
    });
    const { webSocket } = response;
    if (webSocket === null) throw new Error(`Expected a socket, found ${response.status}`);
    const client = new SessionClient(webSocket, namespaceId, clientId);
    await client.until(() => client.frames.length > 0);
    return client;
  }

  get welcome(): Frame {
    return this.frames[0] ?? {};
  }

  get pushes(): Frame[] {
    return this.frames.filter(({ op }) => op === "push");
  }

  /** Sends a frame with an id and waits for its answer. */
  async ask(op: string, fields: Frame = {}): Promise<Frame> {
    const id = this.#nextId++;
    this.send({ id, op, ...fields });
    const answer = (): Frame | undefined => this.frames.find((frame) => frame["id"] === id);
    await this.until(() => answer() !== undefined || this.closed !== null);
    return answer() ?? {};
  }

  send(frame: Frame | string): void {
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  close(): void {
    this.#socket.close(1_000, "done");
  }

  /** Waits for something that a frame brings; fails after so many milliseconds of real time. */
  async until(isThere: () => boolean, millis = 5_000): Promise<void> {
    const end = performance.now() + millis;
    while (!isThere()) {
      if (performance.now() > end) {
        throw new Error(`Expected a frame that did not come; there are ${this.texts.join("\n")}`);
      }
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        setTimeout(resolve, 10);
      });
    }
  }

  /** The object that holds this session. */
  get stub(): DurableObjectStub<SessionObject> {
    const shard = shardOf(this.#clientId, SHARDS);
    return env.SESSION.getByName(sessionObjectName({ namespaceId: this.#namespaceId, region: "any", shard }));
  }

  async alarmAt(): Promise<number | null> {
    return runInDurableObject(this.stub, (_object: unknown, ctx) => ctx.storage.getAlarm());
  }

  async fireAlarm(): Promise<boolean> {
    return runDurableObjectAlarm(this.stub);
  }

  async evict(webSockets: "hibernate" | "close"): Promise<void> {
    await evictDurableObject(this.stub, { webSockets });
  }

  #take(text: string): void {
    this.texts.push(text);
    if (text === "pong") return;
    const frame: Frame = JSON.parse(text);
    this.frames.push(frame);
    if (frame["op"] === "push" && this.acknowledges) {
      const { serviceName, groupName, clusters, revision } = frame;
      this.send({ op: "ack", serviceName, groupName, clusters, revision });
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
