/** Secrets that sign webhook deliveries. */
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 24;

/** How long a replaced secret also signs, so that receivers have time to change to the new one. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Creates a secret in the format of Standard Webhooks: whsec_ and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
