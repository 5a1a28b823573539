import { extname, relative } from "node:path";

/**
 * The part of wrangler.toml that a server on one machine needs, as smol-toml parses it.
 * @typedef {object} WranglerConfig
 * @property {string} compatibility_date
 * @property {string[]} [compatibility_flags]
 * @property {Record<string, unknown>} [vars]
 * @property {{ bindings: { name: string, class_name: string }[] }} [durable_objects]
 */

/**
 * @typedef {object} WorkerdConfigInput
 * @property {WranglerConfig} wrangler
 * @property {string} configDir absolute folder that the configuration will be written to
 * @property {string[]} modules absolute paths of the bundle's modules, the main one first
 * @property {string} bundleDir absolute folder that the modules import each other from
 * @property {string} dataDir absolute folder for the objects' databases
 * @property {string} address `host:port` to listen on, an IPv6 host in brackets
 * @property {number} port what the Worker is told as NACRE_PORT
 */

/**
 * V8 lets its heap grow with the machine's memory rather than with need: under a load of long lists the process took
 * 770 MB without this bound and 300 MB with it, at no cost in speed. In MB.
 */
const MAX_HEAP_MB = 128;

/** Kinds of module that a bundle may hold, by extension. Source maps and the like are none. */
const MODULE_KINDS = new Map([
  [".js", "esModule"],
  [".mjs", "esModule"],
  [".wasm", "wasm"],
  [".txt", "text"],
  [".bin", "data"],
]);

/**
 * Whether a file of the bundle is a module that must stand in the configuration.
 * @param {string} path
 * @returns {boolean}
 */
export function isModule(path) {
  return MODULE_KINDS.has(extname(path));
}

/**
 * Writes the text (Cap'n Proto) of the configuration that workerd serves.
 * @param {WorkerdConfigInput} input
 * @returns {string}
 */
export function renderWorkerdConfig({ wrangler, configDir, modules, bundleDir, dataDir, address, port }) {
  const objects = wrangler.durable_objects?.bindings ?? [];
  const vars = { ...wrangler.vars, NACRE_PORT: String(port) };
  return `# Written by scripts/start.mjs at every start: changes made here are lost.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = [${quote(`--max-heap-size=${MAX_HEAP_MB}`)}],
  services = [
    (name = "nacre", worker = .nacre),
    (name = "data", disk = (path = ${quote(dataDir)}, writable = true)),
  ],
  sockets = [(name = "http", address = ${quote(address)}, http = (), service = "nacre")],
);

const nacre :Workerd.Worker = (
  compatibilityDate = ${quote(wrangler.compatibility_date)},
  compatibilityFlags = ${list((wrangler.compatibility_flags ?? []).map(quote))},
  modules = ${list(modules.map((path) => renderModule(path, { configDir, bundleDir })))},
  bindings = ${list([...objects.map(renderObjectBinding), ...Object.entries(vars).map(renderVar)])},
  durableObjectNamespaces = ${list(objects.map(renderObjectNamespace))},
  durableObjectStorage = (localDisk = "data"),
);
`;
}

/**
 * @param {string} path
 * @param {{ configDir: string, bundleDir: string }} dirs
 */
function renderModule(path, { configDir, bundleDir }) {
  // A path with a leading slash would be looked for on workerd's import path, so it is given from the configuration on.
  const embedded = quote(relative(configDir, path));
  return `(name = ${quote(relative(bundleDir, path))}, ${MODULE_KINDS.get(extname(path))} = embed ${embedded})`;
}

/** @param {{ name: string, class_name: string }} binding */
function renderObjectBinding({ name, class_name }) {
  return `(name = ${quote(name)}, durableObjectNamespace = ${quote(class_name)})`;
}

/**
 * The unique key is both the name of the folder with the objects' databases and part of every object's id: change it
 * and all data are out of reach, for ever.
 * @param {{ class_name: string }} binding
 */
function renderObjectNamespace({ class_name }) {
  return `(className = ${quote(class_name)}, uniqueKey = ${quote(`nacre-${class_name}`)}, enableSql = true)`;
}

/** @param {[string, unknown]} entry a variable that is no text reaches the Worker parsed, as on Cloudflare */
function renderVar([name, value]) {
  const rendered =
    typeof value === "string" ? `text = ${quote(value)}` : `json = ${quote(JSON.stringify(value))}`;
  return `(name = ${quote(name)}, ${rendered})`;
}

/** @param {string[]} items */
function list(items) {
  return items.length === 0 ? "[]" : `[\n    ${items.join(",\n    ")},\n  ]`;
}

/**
 * A Cap'n Proto text. Its escapes are those of C; all but quote, backslash and control characters stand for themselves.
 * @param {string} text
 */
function quote(text) {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/\p{Cc}/gu, escapeControl);
  return `"${escaped}"`;
}

/** @param {string} character U+0080 to U+009F need no escape, and \\x would mean a byte and not a character there */
function escapeControl(character) {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : character;
}
