/** A page with the tag by which browsers ask whether it has changed. */
import { createHash } from 'node:crypto';

export interface GuidePage {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function tagged(text: string): GuidePage {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
