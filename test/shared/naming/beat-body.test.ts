import { test } from "vitest";
import { renewedAnswer, UNKNOWN_BEAT_ANSWER } from "../../../shared/naming/beat.ts";
import { renderBeatBody } from "../../../shared/naming/beat-body.ts";
import { metadata, TestService } from "../../support/builders.ts";

test.for([
  ["Nacos's own interval", {}, 5_000],
  ["the interval of the instance", { "preserved.heart.beat.interval": "3000" }, 3_000],
  ["never less than a second", { "preserved.heart.beat.interval": "1" }, 1_000],
  ["a second", { "preserved.heart.beat.interval": "1000" }, 1_000],
  ["nothing that would let a client beat without pause", { "preserved.heart.beat.interval": "0" }, 1_000],
] as const)("B9: a renewed beat is told %s", ([, own, told], { expect }) => {
  const service = new TestService();
  service.register({ metadata: metadata<string>(own) });
  const instance = service.find();
  const body = instance && renderBeatBody(renewedAnswer(instance));
  expect(body).toBe(`{"clientBeatInterval":${told},"code":10200,"lightBeatEnabled":true}`);
});

test("B3: a beat for an unknown instance is told 20404", ({ expect }) => {
  const body = renderBeatBody(UNKNOWN_BEAT_ANSWER);
  expect(body).toBe('{"clientBeatInterval":5000,"code":20404,"lightBeatEnabled":true}');
});
