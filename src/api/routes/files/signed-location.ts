/** The signed addresses of files, and their parameters. */
import { z } from 'zod';
import { type SignedPurpose, signFile } from '../../../domain/files/signed-url.js';
import type { ApiServices } from '../../services.js';

const PATHS: Readonly<Record<SignedPurpose, string>> = { upload: 'uploads', download: 'downloads' };

/** When an address expires that is valid for so long, rounded up to a whole second because seconds are signed. */
export function expiryAfter(validMs: number): Date {
  return new Date(Math.ceil((Date.now() + validMs) / 1000) * 1000);
}

/** @param expiresAt a time returned by expiryAfter */
export function signedLocation(
  { config, publicUrl }: Pick<ApiServices, 'config' | 'publicUrl'>,
  purpose: SignedPurpose,
  fileId: string,
  expiresAt: Date,
): string {
  const { expires, signature } = signFile(config.secretsKeys, purpose, fileId, expiresAt);
  return `${publicUrl()}/${PATHS[purpose]}/${fileId}?expires=${expires}&signature=${signature}`;
}

export const signedParams = z.object({ fileId: z.string() });

/** The schema accepts everything, because only the signature decides: a missing or malformed parameter is a forgery. */
export const signedQuery = z.object({ expires: z.string().catch(''), signature: z.string().catch('') });
