import { judgeAims } from "./aims.mjs";
import { median } from "./statistics.mjs";

/** @typedef {import("./measure.mjs").Results} Results */
/** @typedef {import("./comparison.mjs").Comparison} Comparison */
/** @typedef {import("./comparison.mjs").Side} Side */

/**
 * The results as a document.
 * @param {Results} results
 * @returns {string} Markdown
 */
export function renderReport(results) {
  const { machine, size, seconds } = results;
  return `# Benchmarks

Written by \`npm run bench\`, which took ${whole(seconds)} s: change nothing here by hand. The numbers are those of one run on the
machine below; another machine has others. What can be compared between machines are the ratios.

${table(["", ""], machine)}

## Aims

${table(
  ["aim", "measured", "met"],
  judgeAims(results).map(({ aim, measured, isMet }) => [aim, measured, isMet ? "yes" : "**no**"]),
)}

## Beats and lists beside a constant worker

A worker that does nothing but answer a constant ([bench/constant.capnp](../bench/constant.capnp)) is the most that \`workerd\`
can do on this machine. It is asked the very same requests as Nacre, by the same script, in turn with it (rounds: ${size.rounds}, of
${size.roundSeconds} s each after one more second that does not count; 32 connections), and answers as many bytes. The ratio is
that of the medians. For lists there is also a worker with a short answer (that of a beat).

${table(
  ["requests", "body, bytes", "Nacre, 1/s", "constant, 1/s", "**ratio**", "short constant, 1/s", "ratio"],
  comparisons(results).map(renderComparison),
)}

Beats are gathered: of an instance that a service's object said is alive within the last ten seconds, a worker answers the
beat itself and tells the object twice a second. So it is with instances that beat every five seconds, too.

Every beat is light and as Java sends it: all parameters in the query, no body. Every instance was registered before with a
lease so long that it outlives the run; that answers are right (code 10200, all hosts there and healthy) is checked before,
between and after the rounds, that none is missing or refused by counting.

A list that a worker is asked for more than 20 times a second is handed out again for up to half a second without asking the
service's object. In the last row each is asked for
${decimal(results.seldomLists.nacre.perSecond / results.seldomLists.services)} times a second, so that every answer comes from the object.

${table(["requests", "who", "rounds, 1/s", "p50, ms", "p99, ms"], comparisons(results).flatMap(renderSides))}

Latencies are those under full load: how long a request waits when 32 others always wait too.

## Registrations

New instances, each by its own POST, over 32 connections of one Node process. \`ok\` is answered when the instance is in the
service's database and the database is synchronised to the disk.

${table(
  ["instances", "into", "1/s", "p50, ms", "p99, ms"],
  results.registrations.map((row) => [
    whole(row.instances),
    row.name,
    whole(row.perSecond),
    decimal(row.p50),
    decimal(row.p99),
  ]),
)}

## One service with ${whole(size.live.instances)} live instances

${renderLive(results)}

## Memory

Resident memory of \`workerd\`, which does all the work, and of the Node process that started it and waits for its end, each
two seconds after the last request.

${table(
  ["when", "workerd, MB", "parent, MB"],
  Object.values(results.memory).map((row) => [row.name, megabytes(row.workerd), megabytes(row.parent)]),
)}

## Time to ready

From typing the command to the line that says it is ready, on an empty folder, with everything installed and bundled.

${table(
  ["command", "median, ms", "each, ms"],
  results.startups.map(({ command, times }) => [
    `\`${command}\``,
    whole(median(times)),
    times.map(whole).join(" "),
  ]),
)}
`;
}

/**
 * @param {Results} results
 * @returns {Comparison[]}
 */
function comparisons({ beats, lists, seldomLists }) {
  return [...beats, ...lists, seldomLists];
}

/** @param {Comparison} comparison */
function renderComparison({ name, bodyBytes, nacre, equal, small }) {
  const sides = [
    whole(bodyBytes),
    whole(nacre.perSecond),
    whole(equal.perSecond),
    `**${ratio(nacre, equal)}**`,
  ];
  return [name, ...sides, small ? whole(small.perSecond) : "", small ? ratio(nacre, small) : ""];
}

/** @param {Comparison} comparison */
function renderSides({ name, nacre, equal, small }) {
  const sides = Object.entries({
    Nacre: nacre,
    constant: equal,
    ...(small ? { "short constant": small } : {}),
  });
  return sides.map(([who, { rounds, p50, p99 }]) => [
    name,
    who,
    rounds.map(whole).join(" "),
    decimal(p50),
    decimal(p99),
  ]);
}

/** @param {Results} results */
function renderLive({ live }) {
  const { beats, refusedBeats, seconds, sinceDue, sinceSent, watched } = live;
  return `Registered with the default lease (unhealthy after 15 s, gone after 30 s), then each beaten every 5 s for ${seconds} s, spread
evenly, while the list (${whole(watched.listBytes)} bytes, half of them there within ${whole(watched.listP50)} ms) is read every 2 s.

${table(
  ["", ""],
  [
    ["beats", `${whole(beats)}, ${whole(beats / seconds)} a second`],
    ["beats not answered with 10200", whole(refusedBeats)],
    ["from when a beat was due to its answer", renderLatency(sinceDue)],
    ["from when it was sent to its answer", renderLatency(sinceSent)],
    ["checks of the list", whole(watched.checks)],
    ["instances that a check found missing", whole(watched.missing)],
    ["instances that a check found unhealthy", whole(watched.unhealthy)],
  ],
)}`;
}

/** @param {import("./live-service.mjs").Latency} latency */
function renderLatency({ p50, p99 }) {
  return `p50 ${decimal(p50)} ms, p99 ${decimal(p99)} ms`;
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * @param {Side} side
 * @param {Side} other
 */
function ratio(side, other) {
  return (side.perSecond / other.perSecond).toFixed(2);
}

/** @param {number} value */
function whole(value) {
  return Math.round(value).toLocaleString("en");
}

/** @param {number} value */
function decimal(value) {
  return value.toFixed(1);
}

/** @param {number} bytes */
function megabytes(bytes) {
  return whole(bytes / 1_000_000);
}
