import type { Context } from "hono";
import { beatCallUrl, LEASE_HEADER, NOT_RENEWED_STATUS } from "../shared/hot-call.ts";
import { BEAT_OK, type Beat } from "../shared/naming/beat.ts";
import type { ServiceRef } from "../shared/naming/service-ref.ts";
import type { StraightAnswer } from "./beat-gatherer.ts";
import { beatBody, expectOk } from "./codecs/nacos-v1.ts";
import { callerOf } from "./codecs/origin.ts";
import type { AppEnv } from "./env.ts";
import { beats } from "./isolate.ts";
import { callService, writeService } from "./service-call.ts";

/** Answers a beat: gathered where that is possible, else the hot way, else as the write that it may be. */
export async function sendBeat(c: Context<AppEnv>, ref: ServiceRef, beat: Beat): Promise<Response> {
  return beats.beat(ref, beat, {
    straight: () => sendStraight(c, ref, beat),
    gathered: (gathered) => callService(c.env, ref, async (stub) => stub.renewGathered(ref, gathered)),
    render: ({ beatIntervalMs }) => beatBody({ code: BEAT_OK, beatIntervalMs }),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  });
}

async function sendStraight(c: Context<AppEnv>, ref: ServiceRef, beat: Beat): Promise<StraightAnswer> {
  const url = beatCallUrl(ref, beat.ip, beat.port, beat.clusterName);
  const renewed = await callService(c.env, ref, async (stub) => stub.fetch(url));
  if (renewed.status !== NOT_RENEWED_STATUS) {
    const renewal = {
      beatIntervalMs: Number(await renewed.text()),
      leaseMs: Number(renewed.headers.get(LEASE_HEADER)),
    };
    return { response: beatBody({ code: BEAT_OK, beatIntervalMs: renewal.beatIntervalMs }), renewal };
  }
  const answer = await writeService(c.env, ref, async (stub) => stub.beat(ref, beat, callerOf(c)));
  return { response: beatBody(expectOk(answer)), renewal: null };
}
