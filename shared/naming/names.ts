/**
 * What names may look like: one rule each, the same on every route (Nacos 2.3+, its parameter checker). Lengths count
 * UTF-16 code units. A check returns the text of its refusal, or `null` for a good name; the texts begin as Nacos's do
 * and go on to say which character stands where and what is allowed.
 */
const MAX_NAMESPACE_LENGTH = 64;
const MAX_GROUP_LENGTH = 128;
const MAX_SERVICE_LENGTH = 512;
const MAX_CLUSTER_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 128;

interface NameRule {
  /** The word that Nacos uses for the parameter in its texts. */
  readonly word: string;
  readonly maxLength: number;
  /** Matches the first character that is refused. */
  readonly refused: RegExp;
  readonly allowed: string;
}

const NAMESPACE: NameRule = {
  word: "namespaceId/tenant",
  maxLength: MAX_NAMESPACE_LENGTH,
  refused: /[^A-Za-z0-9_-]/u,
  allowed: "letters, digits, - and _",
};

const GROUP: NameRule = {
  word: "group",
  maxLength: MAX_GROUP_LENGTH,
  refused: /[^A-Za-z0-9_:.-]/u,
  allowed: "letters, digits, - _ . and :",
};

/** ASCII white space only counts as such: U+00A0 and U+3000 pass, as in Nacos. Control characters and half surrogate pairs never name a thing. */
const SERVICE: NameRule = {
  word: "serviceName",
  maxLength: MAX_SERVICE_LENGTH,
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused here
  refused: /^@|[\u0000-\u0020\u007f-\u009f\u4e00-\u9fa5\ud800-\udfff]|@@/u,
  allowed: "no white space, no character from U+4E00 to U+9FA5, no @ in the first place, no @@",
};

const ADDRESS: NameRule = {
  word: "ip",
  maxLength: MAX_ADDRESS_LENGTH,
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused here
  refused: /[\u0000-\u0020\u007f-\u009f\u4e00-\u9fa5\ud800-\udfff]/u,
  allowed: "an IPv4 or IPv6 address or a host name, without white space",
};

const CLUSTER: NameRule = {
  word: "cluster",
  maxLength: MAX_CLUSTER_LENGTH,
  refused: /[^0-9a-zA-Z_-]/u,
  allowed: "letters, digits and -",
};

/** How Nacos 2.x refuses what is too long; both lengths in UTF-16 code units. */
export function tooLongText(word: string, limit: number, length: number): string {
  return `Param '${word}' is illegal, the param length should not exceed ${limit}. (current length: ${length})`;
}

function check(rule: NameRule, value: string): string | null {
  if (value.length > rule.maxLength) {
    return tooLongText(rule.word, rule.maxLength, value.length);
  }
  const found = rule.refused.exec(value);
  if (found === null) return null;
  const shown = JSON.stringify(found[0]);
  return `Param '${rule.word}' is illegal, illegal characters should not appear in the param. (${shown} at position ${found.index + 1}; allowed: ${rule.allowed})`;
}

/** Checks a namespace id; it need not exist. */
export function checkNamespaceId(value: string): string | null {
  return check(NAMESPACE, value);
}

/** Checks a group name. */
export function checkGroupName(value: string): string | null {
  return check(GROUP, value);
}

/** Checks a service name that stands without its group. */
export function checkServiceName(value: string): string | null {
  return check(SERVICE, value);
}

/** Checks an address as it was sent: host names and IPv6 are as good as IPv4 (design, section 2). */
export function checkAddress(value: string): string | null {
  return check(ADDRESS, value);
}

/** Checks the name of a cluster that an instance joins; `_` has a text of its own (Nacos 2.x, both of its checks). */
export function checkClusterName(value: string): string | null {
  const refused = check(CLUSTER, value);
  if (refused !== null) return refused;
  if (!value.includes("_")) return null;
  return `Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: ${value})`;
}
