import type { BeatAnswer } from "./beat.ts";

/**
 * Renders the answer to a beat, the same in v1 and v2. `lightBeatEnabled` tells the client to leave the beat's JSON out
 * next time; it is there with 20404 too (Nacos 2.x).
 */
export function renderBeatBody(answer: BeatAnswer): string {
  return `{"clientBeatInterval":${answer.beatIntervalMs},"code":${answer.code},"lightBeatEnabled":true}`;
}
