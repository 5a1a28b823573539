import { RE2JS } from "re2js";
import { refuse } from "../../shared/errors.ts";

/**
 * A matcher for a pattern that a stranger sent: found anywhere in a text, in linear time. Without a pattern all match.
 * Throws `parameterInvalid`, naming the parameter, for what is no regular expression of RE2.
 */
export function compilePattern(name: string, expression: string | undefined): (text: string) => boolean {
  if (expression === undefined) return () => true;
  try {
    const pattern = RE2JS.compile(expression);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be parsed";
    const message = `Param '${name}' is illegal, it should be a regular expression of RE2: ${why}`;
    return refuse("parameterInvalid", message);
  }
}
