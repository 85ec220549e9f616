/** Reads an object as a stream, piece by piece. */
import { Readable } from 'node:stream';
import { FileStoreUnavailable } from '../file-store.js';
import type { Bucket, Piece } from './bucket.js';

/** What one request reads of a file that is read from its beginning to its end. */
const PIECE_BYTES = 4 * 1024 * 1024;
export const CHUNK_BYTES = 64 * 1024;

/**
 * Reads an object by one request after the other: a slow reader then holds no connection, which the store would close,
 * and a lost connection costs one piece. The next piece is fetched while one is read.
 * @param range bytes [start, end); default: all
 */
export async function readStream(
  bucket: Bucket,
  key: string,
  range: { start: number; end: number } | undefined,
): Promise<Readable> {
  const { start = 0, end: wanted = Number.POSITIVE_INFINITY } = range ?? {};
  const first = await bucket.read(key, start, Math.min(start + PIECE_BYTES, wanted));
  const end = Math.min(wanted, first.total);
  const fetchFrom = (at: number) => {
    if (at >= end) return undefined;
    const piece = bucket.read(key, at, Math.min(at + PIECE_BYTES, end), first.etag);
    piece.catch(() => undefined);
    return piece;
  };
  async function* chunks(): AsyncGenerator<Buffer> {
    let at = start;
    for (let piece: Piece | undefined = first; piece !== undefined; ) {
      at += piece.bytes.length;
      if (at < end && piece.bytes.length === 0) throw new FileStoreUnavailable('the S3 store sent no bytes of a file');
      const next = fetchFrom(at);
      const { bytes } = piece;
      for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
      piece = await next;
    }
  }
  return Readable.from(chunks(), { objectMode: false, highWaterMark: CHUNK_BYTES });
}
