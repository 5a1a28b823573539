import { HttpClient } from "./http-client.mjs";
import { beat, checkBeat, checkList, instancesOf, listsOf } from "./services.mjs";

/** @typedef {import("./services.mjs").ServiceSet} ServiceSet */
/** @typedef {import("./comparison.mjs").Question} Question */

/** The answer to a beat, as the short constant that lists are compared with too. */
const SHORT_ANSWER = '{"clientBeatInterval":5000,"code":10200,"lightBeatEnabled":true}';

/**
 * @param {ServiceSet} set
 * @returns {Question}
 */
export function askBeats(set) {
  return { name: `beats: ${describe(set)}`, targets: instancesOf(set).map(beat), check: checkBeat };
}

/**
 * @param {ServiceSet} set
 * @returns {Question}
 */
export function askLists(set) {
  return {
    name: `lists: ${describe(set)}`,
    targets: listsOf(set),
    check: (body) => checkList(body, set.instances),
  };
}

/**
 * @param {Question} question
 * @returns {Question} that is put to a worker with a short answer too
 */
export function besideShort(question) {
  return { ...question, small: SHORT_ANSWER };
}

/**
 * @param {string} url
 * @param {ServiceSet} set
 * @throws {ReportedError} when an instance of the set is missing or unhealthy
 */
export async function checkAlive(url, set) {
  const client = new HttpClient(url, 1);
  for (const { method, path } of listsOf(set)) {
    const { body } = await client.send(method, path);
    checkList(body, set.instances);
  }
  client.close();
}

/** @param {ServiceSet} set */
function describe({ services, instances }) {
  const of = instances.toLocaleString("en");
  return services === 1 ? `1 service with ${of} instances` : `${services} services with ${of} instances each`;
}
