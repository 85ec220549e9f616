/** Reads an open file of a server from an offset to its end, with some requests ahead of the reader. */
import { changed } from '../resumed-read.js';
import type { Line } from './session.js';

/** What every server answers at once. */
const CHUNK_BYTES = 32 * 1024;
/** Half a megabyte is on its way: enough for ten megabytes in a second over 50 ms. */
const MOST_AHEAD = 16;

interface OpenFile {
  readonly name: string;
  readonly handle: Buffer;
  readonly size: number;
}

export async function* readHandle(
  line: Line,
  file: OpenFile,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = [];
  for (let next = from; ; ) {
    while (ahead.length < MOST_AHEAD && next < file.size) {
      const piece = readPiece(line, file, next, Math.min(CHUNK_BYTES, file.size - next), signal);
      piece.catch(() => undefined);
      ahead.push(piece);
      next += CHUNK_BYTES;
    }
    const first = ahead.shift();
    if (first === undefined) return;
    yield await first;
  }
}

/** Servers may answer with less than they were asked for. @throws RemoteFailure CHANGED_WHILE_READ when the file ends */
async function readPiece(
  line: Line,
  { name, handle }: OpenFile,
  at: number,
  length: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const piece = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length; ) {
    const bytes = await line.call<number>(`reading ${name}`, signal, (sftp, done) =>
      sftp.read(handle, piece, filled, length - filled, at + filled, (error, read) => done(error, read)),
    );
    if (bytes === 0) throw changed(name);
    filled += bytes;
  }
  return piece;
}
