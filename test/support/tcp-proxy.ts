import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy before a server on this machine, for faults of the network. */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isFrozen = false;

  private constructor(port: number) {
    this.#server = createServer((outside) => {
      const inside = connect(port, "127.0.0.1");
      const pair = [outside, inside] as const;
      this.#pairs.add(pair);
      for (const [from, to] of [pair, [inside, outside]] as const) {
        from.on("data", (chunk) => this.#isFrozen || to.write(chunk));
        from.on("close", () => to.destroy());
        from.on("error", () => to.destroy());
      }
    });
  }

  /** Starts one before a port; answers it once it listens. */
  static async before(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("Expected the proxy to listen");
    return address.port;
  }

  /** Forwards nothing more, and tells nobody: as when a cable is pulled. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Drops all connections, without any close frame. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.#pairs.clear();
    this.#isFrozen = false;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
