/** Secrets that sign what webhooks deliver. */
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 24;

/** How long the secret before signs too once it is replaced, so that receivers can change over. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** A new secret, in the form that Standard Webhooks libraries read: whsec_ and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
