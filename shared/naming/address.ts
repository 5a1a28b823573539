/**
 * Addresses of instances. IPv6 in any spelling is one address, kept in the form of RFC 5952; everything else is kept as
 * it was sent. A zone (`fe80::1%eth0`) is part of the address; square brackets are not.
 */

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;
const IPV6_GROUPS = 8;

/** The number of an IPv4 address, 0 to 2^32 - 1, or -1 for anything else. */
export function ipv4Number(address: string): number {
  const parts = IPV4.exec(address);
  if (parts === null) return -1;
  let value = 0;
  for (const part of parts.slice(1)) {
    const byte = Number(part);
    if (byte > 255) return -1;
    value = value * 256 + byte;
  }
  return value;
}

/** The groups of a part of an IPv6 address; the last part may end with an embedded IPv4 address. */
function parseGroups(text: string, isLastPart: boolean): number[] | null {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".") && isLastPart && index === parts.length - 1) {
      const embedded = ipv4Number(part);
      if (embedded < 0) return null;
      groups.push(Math.floor(embedded / 65_536), embedded % 65_536);
    } else if (HEX_GROUP.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return null;
    }
  }
  return groups;
}

/** The eight groups of an IPv6 address without zone, or `null` when the text is none. */
function parseIpv6(text: string): number[] | null {
  const gap = text.indexOf("::");
  if (gap < 0) {
    const groups = parseGroups(text, true);
    return groups?.length === IPV6_GROUPS ? groups : null;
  }
  const head = parseGroups(text.slice(0, gap), false);
  const tail = parseGroups(text.slice(gap + 2), true);
  if (head === null || tail === null) return null;
  const missing = IPV6_GROUPS - head.length - tail.length;
  if (missing < 1) return null;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups shortened. */
function formatIpv6(groups: readonly number[]): string {
  let bestStart = -1;
  let bestLength = 1;
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - start > bestLength) {
      bestStart = start;
      bestLength = end - start;
    }
    start = Math.max(start, end - 1);
  }
  const hex = groups.map((group) => group.toString(16));
  if (bestStart < 0) return hex.join(":");
  return `${hex.slice(0, bestStart).join(":")}::${hex.slice(bestStart + bestLength).join(":")}`;
}

/**
 * The one spelling under which an address is known. `[::1]` becomes `::1`; host names, IPv4 and anything else come back
 * unchanged.
 */
export function canonicalAddress(sent: string): string {
  if (!sent.includes(":")) return sent;
  const bare = sent.startsWith("[") && sent.endsWith("]") ? sent.slice(1, -1) : sent;
  const zoneAt = bare.indexOf("%");
  const groups = parseIpv6(zoneAt < 0 ? bare : bare.slice(0, zoneAt));
  if (groups === null) return sent;
  return formatIpv6(groups) + (zoneAt < 0 ? "" : bare.slice(zoneAt));
}

/** Compares texts by UTF-16 code unit, the order that does not depend on a locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Order of addresses in lists: IPv4 by number, before all else, which goes by text (design, section 4). */
export function compareAddresses(a: string, b: string): number {
  if (a === b) return 0;
  const left = ipv4Number(a);
  const right = ipv4Number(b);
  if (left >= 0 && right >= 0 && left !== right) return left - right;
  if (left >= 0 !== right >= 0) return left >= 0 ? -1 : 1;
  return compareText(a, b);
}
