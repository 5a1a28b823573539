import type { Bindings } from "../../worker/env.ts";

// The types that the tests in workerd see behind `env` and `exports`.
declare global {
  namespace Cloudflare {
    interface Env extends Bindings {}
    interface GlobalProps {
      mainModule: typeof import("../../worker/index.ts");
    }
  }
}
