/** A page, or a picture in one, with the tag by which browsers ask whether it has changed. */
import { createHash } from 'node:crypto';

export interface GuidePage {
  readonly bytes: Buffer;
  readonly etag: string;
  /** What its bytes are. */
  readonly type: 'text/html' | 'text/css' | 'image/png';
}

export function tagged(content: string | Buffer, type: GuidePage['type']): GuidePage {
  const bytes = Buffer.from(content);
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
