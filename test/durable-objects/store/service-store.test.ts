import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { SqlServiceStore } from "../../../durable-objects/store/service-store.ts";
import { uniqueName } from "../../support/http.ts";
import { describeServiceStore } from "../../support/store-contract.ts";

describeServiceStore("SqlServiceStore", (run) =>
  runInDurableObject(env.SERVICE.getByName(uniqueName("store")), (_object, ctx) =>
    run(new SqlServiceStore(ctx.storage)),
  ),
);
