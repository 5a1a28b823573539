import { DurableObject } from "cloudflare:workers";
import type { Clock } from "../shared/clock.ts";
import { succeed, type Result } from "../shared/errors.ts";
import { JSON_HEADERS } from "../shared/headers.ts";
import {
  LEASE_HEADER,
  listCallUrl,
  NOT_RENEWED_STATUS,
  readHotCall,
  readWait,
  type HotCall,
  type ListWait,
} from "../shared/hot-call.ts";
import { canonicalAddress } from "../shared/naming/address.ts";
import {
  findBeaten,
  judgeBeat,
  renewedAnswer,
  UNKNOWN_BEAT_ANSWER,
  type Beat,
  type BeatAnswer,
} from "../shared/naming/beat.ts";
import type { ClusterSettings } from "../shared/naming/cluster-settings.ts";
import type { Change } from "../shared/naming/change.ts";
import { listClusters, planClusterUpdate, planHealth, type Cluster } from "../shared/naming/cluster.ts";
import {
  batchKindWord,
  findInstance,
  planBatchEdit,
  planClearing,
  planPatch,
  planReplacement,
  type BatchEdit,
  type InstanceEdit,
} from "../shared/naming/edit.ts";
import { MAX_EVENTS, EVENT_LIFETIME_MS, type EventPage } from "../shared/naming/event.ts";
import {
  arrivalOf,
  findRenewed,
  renewalOf,
  type GatheredBeat,
  type Renewal,
} from "../shared/naming/gathered-beat.ts";
import type { Instance, InstanceAddress, NamedAddress } from "../shared/naming/instance.ts";
import type { OverrideField } from "../shared/naming/override.ts";
import {
  planDeregistration,
  planRegistration,
  type Origin,
  type PlannedRegistration,
  type Registration,
} from "../shared/naming/registration.ts";
import { allInstances } from "../shared/naming/selection.ts";
import type { ServiceSettings, ServiceState } from "../shared/naming/service.ts";
import type { ServiceRef } from "../shared/naming/service-ref.ts";
import { planSessionEnd, planSessionLoss } from "../shared/naming/session-lease.ts";
import { planCreation, planDeletion, planUpdate } from "../shared/naming/settings.ts";
import { EXPLAINED_EVENTS, explainInstance, type Explanation } from "../shared/naming/why.ts";
import { CatalogueReporter } from "./catalogue-reporter.ts";
import { Deliveries, type DeliveredList } from "./deliveries.ts";
import { ListWaiters } from "./list-waiters.ts";
import type { ObjectEnv } from "./env.ts";
import { ListCache } from "./list-cache.ts";
import { logFault } from "./log.ts";
import { ServiceLedger } from "./service-ledger.ts";
import { SqlServiceStore } from "./store/service-store.ts";

/** First pause after a failed wake-up; doubled each time up to the second. The runtime itself gives up after six tries. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** A service as `GET /service` shows it. */
export interface ServiceView {
  readonly settings: ServiceSettings;
  readonly clusters: readonly Cluster[];
}

/** What a batch edit of metadata did. */
export interface BatchEdited {
  readonly updated: readonly InstanceAddress[];
  readonly kind: "ephemeral" | "persist";
}

/** One service of a namespace: its instance table and the leases in it (design, section 1). */
export class ServiceObject extends DurableObject<ObjectEnv> {
  /** Replaced by tests. */
  clock: Clock = () => Date.now();
  readonly #store: SqlServiceStore;
  readonly #ledger: ServiceLedger;
  readonly #catalogue: CatalogueReporter;
  readonly #lists = new ListCache();
  readonly #deliveries: Deliveries;
  readonly #waiters = new ListWaiters();
  #failedWakes = 0;

  constructor(ctx: DurableObjectState, env: ObjectEnv) {
    super(ctx, env);
    this.#store = new SqlServiceStore(ctx.storage);
    this.#ledger = new ServiceLedger(this.#store, { set: (at) => void ctx.storage.setAlarm(at) });
    this.#catalogue = new CatalogueReporter(env, this.#store, this.#ledger);
    this.#deliveries = new Deliveries(env, this.#store, this.#ledger, this.#lists, {
      now: () => this.clock(),
      waitUntil: (promise) => ctx.waitUntil(promise),
    });
    this.#ledger.onRevision = (state, now) => {
      this.#deliveries.changed(state, now);
      this.#waiters.wake();
    };
    void ctx.blockConcurrencyWhile(async () => this.#ledger.setPendingAlarm(await ctx.storage.getAlarm()));
  }

  /** Registers an instance, or replaces what it registered before. */
  async register(ref: ServiceRef, registration: Registration, origin: Origin): Promise<Result<null>> {
    const { state, now } = this.#open(ref);
    const planned = planRegistration(state, registration, now, origin);
    return planned.ok ? this.#finishRegistration(state, now, planned.value) : planned;
  }

  /** Removes the instance(s) with an address; says how many there were. */
  async deregister(ref: ServiceRef, address: NamedAddress, origin: Origin): Promise<number> {
    const { state, now } = this.#open(ref);
    const { removed, change } = planDeregistration(state, address, now, origin);
    await this.#finish(state, now, change);
    return removed;
  }

  /** Takes a beat, light or full. */
  async beat(ref: ServiceRef, beat: Beat, by: string): Promise<Result<BeatAnswer>> {
    const { state, now } = this.#open(ref);
    const judged = judgeBeat(state, beat, now, by);
    if (!judged.ok) return judged;
    const outcome = judged.value;
    if (outcome.type === "unknown") return succeed(UNKNOWN_BEAT_ANSWER);
    if (outcome.type === "renewed") await this.#finish(state, now, outcome.change, outcome.instances);
    else await this.#finishRegistration(state, now, outcome.planned);
    const [first] = findBeaten(state, beat.ip, beat.port, beat.clusterName);
    return succeed(first === undefined ? UNKNOWN_BEAT_ANSWER : renewedAnswer(first));
  }

  /**
   * Takes beats that a worker answered already, each as of when it came. Answers in the same order what the worker may
   * remember, `null` for a beat that is more than a renewal: the instance's next beat comes by itself.
   */
  renewGathered(ref: ServiceRef, beats: readonly GatheredBeat[]): (Renewal | null)[] {
    const { state, now } = this.#open(ref);
    return beats.map((beat) => {
      const renewed = findRenewed(state, beat.ip, beat.port, beat.clusterName);
      if (renewed === null) return null;
      this.#ledger.renew(state, renewed, now, arrivalOf(beat, now));
      return renewalOf(renewed);
    });
  }

  /** PUT: sets weight and enabled to what is sent or to their defaults, metadata if they are sent. */
  replaceInstance(
    ref: ServiceRef,
    address: NamedAddress,
    edit: InstanceEdit,
    origin: Origin,
  ): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planReplacement(state, address, edit, now, origin));
  }

  /** PATCH: sets only what is sent. */
  patchInstance(
    ref: ServiceRef,
    address: NamedAddress,
    edit: InstanceEdit,
    origin: Origin,
  ): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planPatch(state, address, edit, now, origin));
  }

  /** Takes an operator's override, or one field of it, away. */
  clearOverride(
    ref: ServiceRef,
    address: NamedAddress,
    field: OverrideField | undefined,
    origin: Origin,
  ): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planClearing(state, address, field, now, origin));
  }

  /** Merges or hides metadata keys of many instances; answers with those it was for and the word for their kind. */
  async editMetadata(ref: ServiceRef, edit: BatchEdit, origin: Origin): Promise<Result<BatchEdited>> {
    const { state, now } = this.#open(ref);
    const planned = planBatchEdit(state, edit, now, origin);
    if (!planned.ok) return planned;
    await this.#finish(state, now, planned.value.change);
    const updated = planned.value.updated.map(({ ip, port, clusterName }) => ({ ip, port, clusterName }));
    return succeed({ updated, kind: batchKindWord(state) });
  }

  /** One instance, with what it registered, what overrides it, and what is in force. */
  getInstance(ref: ServiceRef, address: NamedAddress): Result<Instance> {
    return findInstance(this.#open(ref).state, address);
  }

  /** All instances, disabled ones too, with their real health. */
  getInstances(ref: ServiceRef): Instance[] {
    return allInstances(this.#open(ref).state);
  }

  /** Makes a service by hand. */
  createService(ref: ServiceRef, settings: ServiceSettings, origin: Origin): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planCreation(state, settings, now, origin));
  }

  /** Replaces a service's settings. */
  updateService(ref: ServiceRef, settings: ServiceSettings, origin: Origin): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planUpdate(state, settings, now, origin));
  }

  /** Deletes an empty service. */
  deleteService(ref: ServiceRef, origin: Origin): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planDeletion(state, now, origin));
  }

  /** Replaces the settings of a cluster. */
  updateCluster(
    ref: ServiceRef,
    name: string,
    settings: ClusterSettings,
    origin: Origin,
  ): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planClusterUpdate(state, name, settings, now, origin));
  }

  /** Sets the health of a persistent instance that nothing probes. */
  setHealth(ref: ServiceRef, address: NamedAddress, healthy: boolean, origin: Origin): Promise<Result<null>> {
    return this.#write(ref, (state, now) => planHealth(state, address, healthy, now, origin));
  }

  /** A session closed: what lived by it goes. */
  async endSession(ref: ServiceRef, session: string, cause: string): Promise<void> {
    const { state, now } = this.#open(ref);
    await this.#finish(state, now, planSessionEnd(state, session, now, cause));
  }

  /** A session did not come back in time: what lived by it is marked, and has an ordinary lease. */
  async loseSession(ref: ServiceRef, session: string): Promise<void> {
    const { state, now } = this.#open(ref);
    await this.#finish(state, now, planSessionLoss(state, session, now));
  }

  /**
   * A session object wants to be told of changes to a list.
   * @param known the revision that it has; `null` for none
   * @returns the newest list, its text left out when it is the known one
   */
  subscribe(ref: ServiceRef, session: string, clusters: string, known: number | null): DeliveredList {
    const { state, now } = this.#open(ref);
    this.#deliveries.add(state, session, clusters, now);
    return this.#deliveries.list(state, clusters, known);
  }

  /** A session object has nobody left who wants a list. */
  unsubscribe(ref: ServiceRef, session: string, clusters: string): void {
    this.#open(ref);
    this.#deliveries.remove(session, clusters);
  }

  /** The names of the session objects that are told of changes. */
  subscribedSessions(ref: ServiceRef): string[] {
    this.#open(ref);
    return this.#deliveries.sessions();
  }

  /** A list as it is now: its revision, and the body of `/instance/list`. */
  queryList(ref: ServiceRef, clusters: string, healthyOnly: boolean): { revision: number; body: string } {
    const { state } = this.#open(ref);
    const body = this.#lists.body(state, listCallUrl(ref, clusters, healthyOnly), { clusters, healthyOnly });
    return { revision: state.record.revision, body };
  }

  /** A service's settings and clusters; `null` when it does not exist. */
  getService(ref: ServiceRef): ServiceView | null {
    const { state } = this.#open(ref);
    return state.record.exists ? { settings: state.record.settings, clusters: listClusters(state) } : null;
  }

  /** The service's events, newest first, at most `limit`, newer than `after`. */
  getEvents(ref: ServiceRef, after: number, limit: number): EventPage {
    const { state, now } = this.#open(ref);
    const events = this.#events(state, now, after, limit);
    return { events, next: state.eventSeq };
  }

  /** Why an instance is in the state it is in, or why it left. */
  explain(ref: ServiceRef, address: NamedAddress): Explanation {
    const { state, now } = this.#open(ref);
    const found = findInstance(state, address);
    const clusterName = found.ok ? found.value.clusterName : address.clusterName;
    const meant = { ip: canonicalAddress(address.ip), port: address.port, clusterName };
    return explainInstance(state, address, this.#events(state, now, 0, EXPLAINED_EVENTS, meant), now);
  }

  /** The hot calls, beat and list; see `hot-call.ts`. Only our own worker can send them. */
  override fetch(request: Request): Response | Promise<Response> {
    const call = readHotCall(request.url);
    const { state, now } = this.#open(call.ref);
    if (call.call === "beat") return this.#hotBeat(state, call, now);
    const wait = readWait(request.headers);
    if (wait !== null && state.record.revision <= wait.revision) return this.#waitForList(call, wait);
    return new Response(this.#lists.body(state, request.url, call), { headers: JSON_HEADERS });
  }

  /** Does what is due. Whatever fails is tried again: the runtime drops an alarm that threw six times. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const now = this.clock();
    try {
      const state = this.#ledger.wake(now, info?.scheduledTime ?? now);
      if (state !== null) {
        await this.#deliveries.retryDue(state, now);
        await this.#catalogue.tellIfDue(state, now);
      }
      this.#ledger.arm(now);
      this.#failedWakes = 0;
    } catch (error) {
      logFault("wake-failed", error, { failures: this.#failedWakes });
      this.#ledger.retry(now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failedWakes++));
    }
  }

  #open(ref: ServiceRef): { readonly state: ServiceState; readonly now: number } {
    const now = this.clock();
    return { state: this.#ledger.open(ref, now), now };
  }

  /** Long polling: answers when the revision has passed the one that is known, or at the end of the wait. */
  async #waitForList(call: Extract<HotCall, { call: "list" }>, wait: ListWait): Promise<Response> {
    const end = this.clock() + wait.millis;
    for (;;) {
      const { state, now } = this.#open(call.ref);
      if (state.record.revision > wait.revision || now >= end || !this.#waiters.hasRoom) {
        const url = listCallUrl(call.ref, call.clusters, call.healthyOnly);
        return new Response(this.#lists.body(state, url, call), { headers: JSON_HEADERS });
      }
      await this.#waiters.wait(end - now);
    }
  }

  #hotBeat(state: ServiceState, call: Extract<HotCall, { call: "beat" }>, now: number): Response {
    const renewed = findRenewed(state, call.ip, call.port, call.clusterName);
    if (renewed === null) return new Response(null, { status: NOT_RENEWED_STATUS });
    this.#ledger.renew(state, renewed, now);
    const { beatIntervalMs, leaseMs } = renewalOf(renewed);
    return new Response(String(beatIntervalMs), { headers: { [LEASE_HEADER]: String(leaseMs) } });
  }

  #finishRegistration(
    state: ServiceState,
    now: number,
    { change, renewed }: PlannedRegistration,
  ): Promise<Result<null>> {
    return this.#finish(state, now, change, renewed === null ? [] : [renewed]);
  }

  async #write(
    ref: ServiceRef,
    plan: (state: ServiceState, now: number) => Result<Change | null>,
  ): Promise<Result<null>> {
    const { state, now } = this.#open(ref);
    const planned = plan(state, now);
    return planned.ok ? this.#finish(state, now, planned.value) : planned;
  }

  /** Stores and applies a change; a service that has just come or gone is in the catalogue before the caller hears of it. */
  async #finish(
    state: ServiceState,
    now: number,
    change: Change | null,
    renewed: readonly Instance[] = [],
  ): Promise<Result<null>> {
    this.#ledger.commit(state, change);
    if (renewed.length > 0) this.#ledger.renew(state, renewed, now);
    await this.#catalogue.ensureListed(state, now);
    return succeed(null);
  }

  #events(
    state: ServiceState,
    now: number,
    after: number,
    limit: number,
    address?: NamedAddress,
  ): EventPage["events"] {
    const oldest = Math.max(after, state.eventSeq - MAX_EVENTS);
    const since = now - EVENT_LIFETIME_MS;
    return this.#store.events({
      after: oldest,
      limit,
      since,
      ...(address === undefined ? {} : { address }),
    });
  }
}
