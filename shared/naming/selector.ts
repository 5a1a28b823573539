import { fail, succeed, type Result } from "../errors.ts";
import { parseJsonObject } from "../json.ts";
import { tooLongText } from "./names.ts";

/**
 * A service's selector, accepted, stored and shown. Labels come from a CMDB that nobody has here, and without one every
 * instance is returned, in Nacos too.
 */
export type Selector =
  | { readonly type: "none" }
  | { readonly type: "label"; readonly expression: string; readonly labels: readonly string[] };

export const NO_SELECTOR: Selector = { type: "none" };

const MAX_SELECTOR_LENGTH = 4_096;
const LABEL_TERM = /^CONSUMER\.label\.([^=&.\s]+)=PROVIDER\.label\.([^=&.\s]+)$/;

/** The labels of an expression `CONSUMER.label.A = PROVIDER.label.A & …`, or `null` when it cannot be parsed. */
function parseLabels(expression: string): string[] | null {
  const dense = expression.replace(/\s+/g, "");
  if (dense === "") return [];
  const labels = new Set<string>();
  for (const term of dense.split("&")) {
    const parts = LABEL_TERM.exec(term);
    if (parts?.[1] === undefined || parts[1] !== parts[2]) return null;
    labels.add(parts[1]);
  }
  return [...labels];
}

function decodeOnceMore(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text; // Not encoded a second time: the text stands as it is.
  }
}

/**
 * Parses the parameter `selector`, which Nacos percent-decodes once more than other parameters. Refuses with
 * `selectorInvalid`: no JSON object, an unknown type, an expression that cannot be parsed.
 */
export function parseSelector(sent: string): Result<Selector> {
  if (sent.length > MAX_SELECTOR_LENGTH) {
    return fail("selectorInvalid", tooLongText("selector", MAX_SELECTOR_LENGTH, sent.length));
  }
  const value = parseJsonObject(decodeOnceMore(sent)) ?? parseJsonObject(sent);
  if (value === null)
    return fail("selectorInvalid", `Param 'selector' is illegal, it should be a JSON object: ${sent}`);
  if (value["type"] === "none") return succeed(NO_SELECTOR);
  if (value["type"] !== "label") return fail("selectorInvalid", "not match any type of selector!");
  const expression = value["expression"] ?? "";
  const labels = typeof expression === "string" ? parseLabels(expression) : null;
  if (typeof expression !== "string" || labels === null) {
    return fail("selectorInvalid", "Selector parses failed: parse expression failed!");
  }
  return succeed({ type: "label", expression, labels });
}
