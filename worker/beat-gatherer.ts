import type { Clock } from "../shared/clock.ts";
import type { GatheredBeat, Renewal } from "../shared/naming/gathered-beat.ts";
import { serviceObjectName, type ServiceRef } from "../shared/naming/service-ref.ts";

/** How long an isolate takes an instance for alive without the object having said so again (design, section 7). */
export const REMEMBER_MS = 10_000;
/** A batch goes to the object this long after its first beat. */
export const GATHER_MS = 500;
/**
 * A beat is only gathered while this much of its lease is left, so that a batch that is delayed is still in time. Others
 * go straight, which keeps every deadline exact.
 */
export const MIN_LEASE_LEFT_MS = 2_000;
/** Strangers choose names: past this many instances all are forgotten. */
const MAX_REMEMBERED = 50_000;

/** Where a beat goes when it is not gathered, and what the object said to it. */
export interface StraightAnswer {
  readonly response: Response;
  /** What may be remembered of it; `null` when the object did more than renew, or nothing at all. */
  readonly renewal: Renewal | null;
}

/** How a gatherer reaches the object, and how it renders. */
export interface BeatCalls {
  /** Sends one beat to the object. */
  straight(): Promise<StraightAnswer>;
  /** Sends a batch to the object; answers in the same order, `null` for a beat that it did not take. */
  gathered(beats: readonly GatheredBeat[]): Promise<readonly (Renewal | null)[]>;
  /** Renders the answer to a beat. */
  render(renewal: Renewal): Response;
  /** Keeps the request's context alive until a promise is done. */
  waitUntil(promise: Promise<void>): void;
}

/** The instance(s) that a beat names. */
export interface BeatAddress {
  readonly ip: string;
  readonly port: number;
  readonly clusterName: string | null;
}

/** What the object said of an instance. */
interface Remembered {
  readonly renewal: Renewal;
  /** When the isolate asked. */
  readonly saidAt: number;
  /** The newest beat that the object knows of, or that is in the batch. */
  lastBeatAt: number;
}

/** A beat that waits for its batch. */
interface Waiting {
  readonly address: BeatAddress;
  arrivedAt: number;
}

/** One service as this isolate knows it. Once it is forgotten, an answer still under way fills it in vain. */
interface ServiceMemory {
  readonly alive: Map<string, Remembered>;
  batch: Map<string, Waiting>;
}

/**
 * Answers the beats of instances that an object said are alive, and tells the object of them in batches: one isolate then
 * costs an object two calls a second, however many instances beat. A write through the same isolate forgets the service at
 * once, before the write and after it; so does a batch that could not be delivered.
 */
export class BeatGatherer {
  readonly #clock: Clock;
  readonly #pause: (milliseconds: number) => Promise<void>;
  readonly #services = new Map<string, ServiceMemory>();
  #remembered = 0;

  /**
   * @param pause waits; replaced by tests
   */
  constructor(clock: Clock, pause: (milliseconds: number) => Promise<void>) {
    this.#clock = clock;
    this.#pause = pause;
  }

  /** Answers a beat: at once when its instance is known to be alive, else with what the object says. */
  async beat(ref: ServiceRef, address: BeatAddress, calls: BeatCalls): Promise<Response> {
    const now = this.#clock();
    const name = serviceObjectName(ref);
    const service = this.#service(name);
    const key = `${address.ip}#${address.port}#${address.clusterName ?? ""}`;
    const known = service.alive.get(key);
    if (known !== undefined && isGatherable(known, now)) {
      known.lastBeatAt = now;
      this.#join(name, service, key, address, now, calls);
      return calls.render(known.renewal);
    }
    const { response, renewal } = await calls.straight();
    if (renewal === null) this.#drop(service, key);
    else this.#remember(service, key, renewal, now, now);
    return response;
  }

  /** Carries out a write to a service. */
  async whileWriting<T>(ref: ServiceRef, write: () => Promise<T>): Promise<T> {
    const name = serviceObjectName(ref);
    this.#forget(name);
    try {
      return await write();
    } finally {
      this.#forget(name);
    }
  }

  #service(name: string): ServiceMemory {
    const known = this.#services.get(name);
    if (known !== undefined) return known;
    if (this.#services.size >= MAX_REMEMBERED) this.#forgetAll();
    const made = { alive: new Map<string, Remembered>(), batch: new Map<string, Waiting>() };
    this.#services.set(name, made);
    return made;
  }

  /** Adds a beat to the service's batch; the first one sees to its sending. Of an instance only the newest beat counts. */
  #join(
    name: string,
    service: ServiceMemory,
    key: string,
    address: BeatAddress,
    now: number,
    calls: BeatCalls,
  ): void {
    const waiting = service.batch.get(key);
    if (waiting !== undefined) {
      waiting.arrivedAt = now;
      return;
    }
    service.batch.set(key, { address, arrivedAt: now });
    if (service.batch.size === 1) calls.waitUntil(this.#send(name, service, calls));
  }

  async #send(name: string, service: ServiceMemory, calls: BeatCalls): Promise<void> {
    await this.#pause(GATHER_MS);
    const { batch } = service;
    service.batch = new Map();
    const now = this.#clock();
    const beats = [...batch.values()].map(({ address, arrivedAt }) => ({
      ...address,
      ageMs: Math.max(0, now - arrivedAt),
    }));
    let renewals: readonly (Renewal | null)[];
    try {
      renewals = await calls.gathered(beats);
    } catch (error) {
      // Nothing is known of these instances any more: their next beats ask the object.
      if (this.#services.get(name) === service) this.#forget(name);
      throw error;
    }
    let index = 0;
    for (const [key, { arrivedAt }] of batch) {
      const renewal = renewals[index++] ?? null;
      if (renewal === null) this.#drop(service, key);
      else if (service.alive.has(key)) this.#remember(service, key, renewal, now, arrivedAt);
    }
  }

  #remember(service: ServiceMemory, key: string, renewal: Renewal, saidAt: number, lastBeatAt: number): void {
    const known = service.alive.get(key);
    if (known === undefined) this.#remembered++;
    // A beat that came while the object was asked; not one that a clock which jumped back made lie ahead.
    const later = known !== undefined && known.lastBeatAt <= this.#clock() ? known.lastBeatAt : lastBeatAt;
    service.alive.set(key, { renewal, saidAt, lastBeatAt: Math.max(lastBeatAt, later) });
    if (this.#remembered > MAX_REMEMBERED) this.#forgetAll();
  }

  #drop(service: ServiceMemory, key: string): void {
    if (service.alive.delete(key)) this.#remembered--;
  }

  #forget(name: string): void {
    const service = this.#services.get(name);
    if (service === undefined) return;
    this.#remembered -= service.alive.size;
    this.#services.delete(name);
  }

  #forgetAll(): void {
    this.#services.clear();
    this.#remembered = 0;
  }
}

/** Whether a beat may wait for a batch. A clock that jumped back makes what was said lie ahead: then it may not. */
function isGatherable({ renewal, saidAt, lastBeatAt }: Remembered, now: number): boolean {
  if (now < lastBeatAt || now >= saidAt + REMEMBER_MS) return false;
  return now + MIN_LEASE_LEFT_MS <= lastBeatAt + renewal.leaseMs;
}
