/** Keys by which a request that is repeated is accepted once. */

const KEY_BYTES = 16;

/** Pages that are served without TLS, but for localhost, have no `crypto.randomUUID`. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
