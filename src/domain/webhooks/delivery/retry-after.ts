/** Reads Retry-After, RFC 9110 section 10.2.3: seconds, or a date. */

/** Milliseconds from `now`, never negative; null: there is none that can be read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // A number in another form is no date either, whatever Date makes of it.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
