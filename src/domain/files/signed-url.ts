/** Signs URLs that need no token: each allows one operation on one file until it expires. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../kernel/errors.js';

export type SignedPurpose = 'upload' | 'download';

/** The two query parameters of a signed URL. */
export interface FileSignature {
  /** Seconds since 1970. */
  readonly expires: string;
  readonly signature: string;
}

/** @param secretsKeys newest first: the first signs */
export function signFile(
  secretsKeys: readonly string[],
  purpose: SignedPurpose,
  fileId: string,
  expiresAt: Date,
): FileSignature {
  const [key] = secretsKeys;
  if (key === undefined) throw new Error('there is no key to sign with');
  const expires = String(Math.floor(expiresAt.getTime() / 1000));
  return { expires, signature: signatureOf(key, purpose, fileId, expires) };
}

/**
 * Checks that one of the keys has signed the URL and that it has not expired.
 * @throws DomainError forbidden
 */
export function requireSignature(
  secretsKeys: readonly string[],
  purpose: SignedPurpose,
  fileId: string,
  given: Partial<FileSignature>,
  now: Date,
): void {
  requireGenuine(secretsKeys, purpose, fileId, given);
  requireUnexpired(purpose, given, now);
}

/** Checks that one of the keys has signed the URL, whether it has expired or not. @throws DomainError forbidden */
export function requireGenuine(
  secretsKeys: readonly string[],
  purpose: SignedPurpose,
  fileId: string,
  { expires = '', signature = '' }: Partial<FileSignature>,
): void {
  const sent = Buffer.from(signature);
  const genuine = secretsKeys.some((key) => {
    const expected = Buffer.from(signatureOf(key, purpose, fileId, expires));
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  });
  if (!genuine) {
    const message = `this ${purpose} URL was altered or cut; use it exactly as it was given`;
    throw new DomainError('forbidden', 'URL_ALTERED', message);
  }
}

/** @throws DomainError forbidden */
export function requireUnexpired(purpose: SignedPurpose, { expires = '' }: Partial<FileSignature>, now: Date): void {
  if (Number(expires) * 1000 <= now.getTime()) {
    throw new DomainError('forbidden', 'URL_EXPIRED', `this ${purpose} URL has expired; ask for a new one`);
  }
}

/** The keys have other uses as well, so the signed text names its purpose. */
function signatureOf(key: string, purpose: SignedPurpose, fileId: string, expires: string): string {
  return createHmac('sha256', key).update(`longshore-url-1\n${purpose}\n${fileId}\n${expires}`).digest('base64url');
}
