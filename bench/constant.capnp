# The plain worker that Nacre is compared with: it answers the text in CONSTANT_BODY, whatever it is asked.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  # As Nacre's own, see scripts/workerd-config.mjs.
  v8Flags = ["--max-heap-size=128"],
  services = [(name = "constant", worker = .constant)],
  sockets = [(name = "http", http = (), service = "constant")],
);

const constant :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [(name = "constant-worker.mjs", esModule = embed "constant-worker.mjs")],
  bindings = [(name = "BODY", fromEnvironment = "CONSTANT_BODY")],
);
