/** The signed addresses of files, and their parameters. */
import type { File } from '../../../../db/models/file.js';
import { bytesGone, requireBytes } from '../../../domain/files/download-file.js';
import type { SignedPurpose } from '../../../domain/files/signed-url.js';
import { signFile } from '../../../domain/files/signed-url.js';
import type { ApiServices } from '../../services.js';

const PATHS: Readonly<Record<SignedPurpose, string>> = { upload: 'uploads', download: 'downloads' };

/** When an address expires that is valid for so long, rounded up to a whole second because seconds are signed. */
export function expiryAfter(validMs: number): Date {
  return new Date(Math.ceil((Date.now() + validMs) / 1000) * 1000);
}

/** @param expiresAt a time returned by expiryAfter */
function signedLocation(
  { config, publicUrl }: Pick<ApiServices, 'config' | 'publicUrl'>,
  purpose: SignedPurpose,
  fileId: string,
  expiresAt: Date,
): string {
  const { expires, signature } = signFile(config.secretsKeys, purpose, fileId, expiresAt);
  return `${publicUrl()}/${PATHS[purpose]}/${fileId}?expires=${expires}&signature=${signature}`;
}

/** The address to which the bytes of a file are put: the store's own, if clients reach it. */
export async function uploadLocation(services: ApiServices, fileId: string, expiresAt: Date): Promise<string> {
  const { direct } = services.fileStore;
  return direct === null ? signedLocation(services, 'upload', fileId, expiresAt) : direct.uploadUrl(fileId, expiresAt);
}

/** The address from which the bytes of a file are got. @throws DomainError gone */
export async function downloadLocation(services: ApiServices, file: File, expiresAt: Date): Promise<string> {
  const key = requireBytes(file);
  const { direct } = services.fileStore;
  if (direct === null) return signedLocation(services, 'download', file.id, expiresAt);
  // The store would answer with an error of its own.
  if ((await services.fileStore.size(key)) === null) throw bytesGone(file.id);
  return direct.downloadUrl(key, { name: file.name, contentType: file.content_type ?? BINARY }, expiresAt);
}

const BINARY = 'application/octet-stream';
