import { MemoryServiceStore } from "../support/memory-store.ts";
import { describeServiceStore } from "../support/store-contract.ts";

describeServiceStore("in memory", async (run) => run(new MemoryServiceStore()));
