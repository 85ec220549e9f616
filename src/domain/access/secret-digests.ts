/** Secrets that are shown once and stored as digests: 256 random bits need no slow hash. */
import { createHash, randomBytes } from 'node:crypto';

/**
 * Of tokens, of OAuth clients, of sessions, of links that log in once, and of logins that a provider is asked for; the last
 * ones are the links and the sessions of receivers, the addresses of published files, and those that
 * trigger feeds. No other kind is accepted where one is
 * expected.
 */
export type SecretPrefix = 'lst' | 'lss' | 'lsn' | 'lsc' | 'lsp' | 'lsl' | 'lsr' | 'lsf' | 'lsg';

/** Creates a random secret. Its prefix shows secret scanners and people what it is. */
export function newSecret(prefix: SecretPrefix): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** The digest of a secret, which is stored instead of it. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
