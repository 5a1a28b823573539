/** A frame as it came. */
export type PushFrame = Record<string, unknown>;

interface Listed {
  readonly revision: number;
  readonly hosts: readonly { readonly ip: string; readonly healthy: boolean }[];
}

/** A client of a started server's `/session`: acknowledges pushes, pings, and keeps the newest list of each service. */
export class PushClient {
  readonly lists = new Map<string, Listed>();
  /** Revisions in the order in which they came, by service. */
  readonly revisions = new Map<string, number[]>();
  pushes = 0;
  resumeToken = "";
  isClosed = false;
  /** Whether frames are read at all; one that does not read acknowledges nothing. */
  isReading = true;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (frame: PushFrame) => void>();
  readonly #pings: NodeJS.Timeout;
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#pings = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send("ping"), 5_000);
    socket.addEventListener("close", () => {
      this.isClosed = true;
      clearInterval(this.#pings);
    });
  }

  /** Opens a session. */
  static async open(port: number, clientId: string = crypto.randomUUID()): Promise<PushClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/nacos/v1/ns/session?clientId=${clientId}`);
    const client = new PushClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("error", () => reject(new Error("Expected the socket to open")));
      socket.addEventListener("message", ({ data }) => {
        client.#take(String(data));
        resolve();
      });
    });
    return client;
  }

  /** Sends a frame and waits for its answer; throws for a refusal. */
  async ask(op: string, fields: PushFrame = {}): Promise<PushFrame> {
    const id = this.#nextId++;
    const answered = new Promise<PushFrame>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, op, ...fields }));
    const answer = await answered;
    if (answer["ok"] !== true) throw new Error(`Expected ok, got ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Subscribes and keeps the list that is answered. */
  async subscribe(serviceName: string): Promise<void> {
    const { data } = await this.ask("subscribe", { serviceName });
    if (hasList(data)) this.#keep(serviceName, data.list);
  }

  close(): void {
    clearInterval(this.#pings);
    this.#socket.close();
  }

  #take(text: string): void {
    if (text === "pong" || !this.isReading) return;
    const frame: PushFrame = JSON.parse(text);
    const { id, op, resumeToken } = frame;
    if (op === "welcome") this.resumeToken = String(resumeToken);
    if (typeof id === "number") this.#answers.get(id)?.(frame);
    if (op !== "push" || !hasList(frame)) return;
    this.pushes++;
    const { serviceName, groupName, clusters, revision } = frame as PushFrame;
    this.#keep(String(serviceName), frame.list);
    this.#socket.send(JSON.stringify({ op: "ack", serviceName, groupName, clusters, revision }));
  }

  #keep(serviceName: string, list: Listed): void {
    this.lists.set(serviceName, list);
    this.revisions.set(serviceName, [...(this.revisions.get(serviceName) ?? []), list.revision]);
  }
}

function hasList(value: unknown): value is { readonly list: Listed } {
  return typeof value === "object" && value !== null && "list" in value;
}
