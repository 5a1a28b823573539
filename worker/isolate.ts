/** What an isolate keeps between requests. */
import { BeatGatherer } from "./beat-gatherer.ts";
import { HotLists } from "./hot-lists.ts";

/** Lists that are asked for often. */
export const hotLists = new HotLists(() => Date.now());

/** Beats of instances that are known to be alive. */
export const beats = new BeatGatherer(
  () => Date.now(),
  async (milliseconds) => scheduler.wait(milliseconds),
);
