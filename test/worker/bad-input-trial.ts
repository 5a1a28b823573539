import type { ExpectStatic } from "vitest";
import { send, sendNaming, summarize, uniqueName, type Answer } from "../support/http.ts";
import { HEALTHY, UNHEALTHY, type BadValue, type World } from "./bad-value-kinds.ts";
import { ALSO_SENT, GOOD_STATUSES, GOOD_VALUES, OLD_NAMES, type Route } from "./routes-under-test.ts";

/** A parameter of a route. */
export interface Case {
  readonly route: Route;
  readonly parameter: string;
}

/** One world, brought back into its first state before a request that follows a change. */
export class Trial {
  readonly world: World;
  readonly #case: Case;
  readonly #expect: ExpectStatic;
  #before: unknown = null;

  constructor(each: Case, expect: ExpectStatic) {
    const serviceName = uniqueName("orders");
    this.world = { serviceName, emptyService: `${serviceName}-empty`, newService: `${serviceName}-new` };
    this.#case = each;
    this.#expect = expect;
  }

  async #prepare(): Promise<unknown> {
    if (this.#before !== null) return this.#before;
    const { serviceName, emptyService, newService } = this.world;
    const { name } = this.#case.route;
    await sendNaming("POST", "/service", { query: { serviceName } });
    if (name === "DELETE /service")
      await sendNaming("POST", "/service", { query: { serviceName: emptyService } });
    if (name === "POST /service")
      await sendNaming("DELETE", "/service", { query: { serviceName: newService } });
    const cluster = { checkPort: "80", useInstancePort4Check: "true", healthChecker: '{"type":"NONE"}' };
    await sendNaming("PUT", "/cluster", { query: { serviceName, clusterName: "DEFAULT", ...cluster } });
    await sendNaming("DELETE", "/instance", { query: { serviceName, ...HEALTHY } });
    // Health is set by hand for persistent instances only.
    const kind = { ephemeral: String(!name.startsWith("PUT /health")) };
    await sendNaming("POST", "/instance", { query: { serviceName, ...HEALTHY, ...kind, metadata: "a=b" } });
    await sendNaming("POST", "/instance", {
      query: { serviceName, ...UNHEALTHY, ...kind, healthy: "false" },
    });
    this.#before = await this.#snapshot();
    return this.#before;
  }

  async #events(): Promise<unknown> {
    const { serviceName } = this.world;
    return summarize(await sendNaming("GET", "/service/events", { query: { serviceName, limit: "1" } }));
  }

  /** All that a refused request must leave as it was. */
  async #snapshot(): Promise<unknown> {
    const { serviceName } = this.world;
    const asked: [string, Record<string, string>][] = [
      ["/instance/list", { serviceName }],
      ["/instance", { serviceName, ...HEALTHY, view: "full" }],
      ["/instance", { serviceName, ...UNHEALTHY, view: "full" }],
      ["/service", { serviceName }],
      ["/catalog/service", { serviceName }],
      ["/service/names", { namespaceId: "public", expr: serviceName }],
      ["/service/events", { serviceName, limit: "1000" }],
    ];
    const answers = asked.map(async ([path, query]) => summarize(await sendNaming("GET", path, { query })));
    return Promise.all(answers);
  }

  /** Sends the parameter with these raw values, in the form where the method has one, beside good values of what is required. */
  async request(values: readonly string[], inQuery: readonly string[] = []): Promise<Answer> {
    const { route, parameter } = this.#case;
    await this.#prepare();
    const others = [...route.required, ...(ALSO_SENT[route.name] ?? [])].filter(
      (name) => name !== parameter && name !== OLD_NAMES[parameter],
    );
    const form = [
      ...others.map((name) => `${name}=${encodeURIComponent(this.good(name))}`),
      ...values.map((value) => `${parameter}=${value}`),
    ].join("&");
    const query = inQuery.map((value) => `${parameter}=${value}`).join("&");
    return route.method === "GET"
      ? send("GET", route.path, { query: form })
      : send(route.method, route.path, { query, form });
  }

  good(parameter: string): string {
    return GOOD_VALUES[parameter]?.(this.world, this.#case.route) ?? "";
  }

  async expectAccepted(
    name: string,
    values: readonly string[],
    inQuery?: readonly string[],
  ): Promise<Answer> {
    await this.#expectUnchanged();
    const answer = await this.request(values, inQuery);
    this.#before = null;
    this.#expect({ name, status: answer.status, body: answer.body.slice(0, 300) }).toMatchObject({
      status: GOOD_STATUSES[this.#case.route.name] ?? 200,
    });
    return answer;
  }

  /** Expects a refusal that holds one of the texts, and that nothing happened. */
  async expectRefused(
    name: string,
    texts: readonly string[],
    values: readonly string[],
    inQuery?: readonly string[],
  ): Promise<void> {
    await this.#prepare();
    const events = await this.#events();
    const answer = await this.request(values, inQuery);
    const said = texts.some((text) => answer.body.includes(text)) ? texts : answer.body.slice(0, 300);
    this.#expect({ name, status: answer.status, said }).toEqual({ name, status: 400, said: texts });
    this.#expect({ name, events: await this.#events() }).toEqual({ name, events });
  }

  /** What there was before all that was refused since the last change, and what there is. */
  async compare(): Promise<{ before: unknown; after: unknown }> {
    const before = this.#before;
    return { before, after: before === null ? null : await this.#snapshot() };
  }

  async #expectUnchanged(): Promise<void> {
    const { before, after } = await this.compare();
    this.#expect(after).toEqual(before);
  }

  async expectEffect({ name, value, effect }: BadValue): Promise<void> {
    await this.#expectUnchanged();
    const answer = await this.request([encodeURIComponent(value)]);
    this.#before = null;
    this.#expect({ name, status: answer.status }).toEqual({
      name,
      status: answer.status < 500 ? answer.status : "below 500",
    });
    await effect?.({ answer, world: this.world, expect: this.#expect });
  }
}
