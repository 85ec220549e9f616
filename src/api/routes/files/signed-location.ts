/** The signed addresses of files: how they are made, and what they carry. */
import { z } from 'zod';
import { type SignedPurpose, signFile } from '../../../domain/files/signed-url.js';
import type { ApiServices } from '../../services.js';

const PATHS: Readonly<Record<SignedPurpose, string>> = { upload: 'uploads', download: 'downloads' };

/** When an address that is good for so long expires: to the whole second, as it is signed. */
export function expiryAfter(validMs: number): Date {
  return new Date(Math.ceil((Date.now() + validMs) / 1000) * 1000);
}

/** @param expiresAt as expiryAfter says */
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

/** Whatever is missing or malformed was altered: the signature decides, and not a schema. */
export const signedQuery = z.object({ expires: z.string().catch(''), signature: z.string().catch('') });
