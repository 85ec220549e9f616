/**
 * Reads Retry-After (RFC 9110 section 10.2.3): seconds, or a date.
 * @returns milliseconds from `now`, never negative; null: it is missing or malformed
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Date.parse would accept other forms of numbers, such as -5 and 1.5, as dates.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
