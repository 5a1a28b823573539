/**
 * @param {readonly number[]} values at least one
 * @param {number} share from 0 to 1
 * @returns {number} the smallest value that at least this share of all do not exceed
 */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error("Expected at least one value");
  return value;
}

/**
 * @param {readonly number[]} values at least one
 * @returns {number} of an even number of values the mean of the middle two
 */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("Expected at least one value");
  return (lower + upper) / 2;
}
