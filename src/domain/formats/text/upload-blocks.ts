/** Reads an upload in blocks of bounded size, decompresses it, and stops decompression bombs. */
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RejectedInput } from '../model/rejected-input.js';
import type { UploadInput } from '../model/source-input.js';
import type { SourceLimits } from '../model/source-limits.js';

const BLOCK_BYTES = 128 * 1024;
const PROGRESS_BYTES = 1024 * 1024;
/** For less text, the expansion ratio has no meaning. */
const RATIO_COUNTS_FROM_BYTES = 8 * 1024 * 1024;

/** Reports to the caller about once per MiB how many bytes all passes have read. */
export class ReadMeter {
  #bytesRead = 0;
  #reportedAt = 0;

  readonly #input: UploadInput;

  constructor(input: UploadInput) {
    this.#input = input;
  }

  add(bytes: number): void {
    this.#bytesRead += bytes;
    if (this.#bytesRead - this.#reportedAt < PROGRESS_BYTES) return;
    this.#reportedAt = this.#bytesRead;
    this.#input.onProgress?.(this.#bytesRead);
  }
}

/** The bytes of a stream in blocks of at most 128 KiB; the signal aborts the stream. */
export async function* streamBlocks(stream: Readable, meter: ReadMeter, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const piece of addAbortSignal(signal, stream)) {
    const bytes: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const block = bytes.subarray(at, at + BLOCK_BYTES);
      meter.add(block.length);
      yield block;
    }
  }
}

/** The text of the upload, decompressed if its name ends in .gz. @throws RejectedInput when a limit is exceeded. */
export async function* uploadBlocks(input: UploadInput, meter: ReadMeter): AsyncGenerator<Buffer> {
  const raw = streamBlocks(await input.openUpload(), meter, input.signal);
  const { maxBytes } = input.limits;
  let bytes = 0;
  for await (const block of input.gzip ? gunzipBlocks(raw, input.limits) : raw) {
    bytes += block.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield block;
  }
}

/** The first bytes of a stream, and the stream including them. */
export async function peek(
  blocks: AsyncGenerator<Buffer>,
  bytes: number,
): Promise<{ head: Buffer; rest: AsyncGenerator<Buffer> }> {
  const taken: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const { value, done } = await blocks.next();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  return { head: Buffer.concat(taken).subarray(0, bytes), rest: prepend(taken, blocks) };
}

/** A stream without its first bytes. */
export async function* skipBytes(blocks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const block of blocks) {
    if (left < block.length) yield block.subarray(left);
    left = Math.max(0, left - block.length);
  }
}

/** `return` of the stream closes the rest even if nothing was read, when a generator would not run its `finally`. */
function prepend(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const blocks = joined(first, rest);
  const end = blocks.return.bind(blocks);
  blocks.return = async (value) => {
    await rest.return(undefined);
    return end(value);
  };
  return blocks;
}

async function* joined(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** How the body of a form begins. */
const FORM = /^--[^\r\n]{1,200}\r?\ncontent-(?:disposition|type):/i;
/** Room for the boundary of a form, and for the beginning of the header that follows it. */
const HEAD_BYTES = 256;

/**
 * @param head the first bytes of the upload
 * @param says what the file's name says that it is
 * @throws RejectedInput WRONG_FORMAT
 */
export function refuseForm(head: Buffer, says: string): void {
  if (!FORM.test(head.toString('utf8').trimStart())) return;
  throw new RejectedInput(
    'WRONG_FORMAT',
    `The file's name says ${says}, but the file is the body of a form (multipart/form-data). Send the bytes of the file alone as the body of the PUT: with curl, \`--upload-file\` instead of \`--form\`.`,
  );
}

async function* gunzipBlocks(raw: AsyncGenerator<Buffer>, limits: SourceLimits): AsyncGenerator<Buffer> {
  const { head, rest } = await peek(raw, HEAD_BYTES);
  if (head.length === 0) return;
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    refuseForm(head, 'gzip');
    throw new RejectedInput('NOT_GZIP', 'The name ends in .gz, but the file is not compressed by gzip.');
  }
  let fed = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const block of rest) {
      fed += block.length;
      yield block;
    }
  };
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  // A failure of either side destroys the decompressor, and so ends the loop below.
  pipeline(Readable.from(counted()), gunzip, () => undefined);
  let bytes = 0;
  try {
    for await (const block of gunzip) {
      bytes += block.length;
      if (bytes > RATIO_COUNTS_FROM_BYTES && bytes > fed * limits.maxExpansionRatio) {
        throw new RejectedInput(
          'EXPANSION_RATIO',
          `The file expands to more than ${limits.maxExpansionRatio} times its size. Upload it uncompressed.`,
        );
      }
      yield block;
    }
  } catch (error) {
    throw isZlibError(error) ? damaged(error) : error;
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

function damaged(error: Error): RejectedInput {
  return new RejectedInput(
    'GZIP_DAMAGED',
    `The gzip file is damaged or incomplete (${error.message}). Compress it again and upload it whole.`,
  );
}

function tooLarge(maxBytes: number): RejectedInput {
  return new RejectedInput(
    'TOO_LARGE',
    `The file holds more than ${maxBytes} bytes of text. Split it and upload the parts one by one.`,
  );
}
