/** Secrets that are shown once and kept as digests: 256 random bits need no slow hash. */
import { createHash, randomBytes } from 'node:crypto';

/** A new random secret; the prefix lets secret scanners and people tell what it is. */
export function newSecret(prefix: 'lst' | 'lss'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a secret. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
