/** What is in the bytes that a server sends: they are unpacked where they are packed, and a page in HTML is no file. */
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { beginningOf, unpackedBeginning } from './beginning.js';
import { RemoteFailure, tooLarge } from './remote-folder.js';

/** How much of a file is looked at before any of it is passed on. */
const BEGINNING_BYTES = 1_024;

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export interface Content {
  readonly name: string;
  /** The header, as it was answered. */
  readonly encoding: string | undefined;
  readonly type: string | undefined;
  readonly maxBytes: number;
}

/** @throws RemoteFailure NOT_SUPPORTED when we cannot unpack it */
export function checkEncoding(encoding: string | undefined): void {
  if (isPlain(encoding) || unpackerOf(encoding) !== undefined) return;
  const message = `the server sends the file packed as ${JSON.stringify(encoding)}, which we cannot unpack: gzip, deflate and br are known`;
  throw new RemoteFailure('NOT_SUPPORTED', message);
}

/**
 * The bytes of a file as they are without the packing of its transfer, once its beginning was looked at.
 * @throws RemoteFailure NOT_A_FILE when it is a page in HTML; what the stream of bytes fails with
 */
export async function contentOf(bytes: Readable, content: Content): Promise<Readable> {
  const isUnpackedOnce = unpackerOf(content.encoding) === createGunzip && /\.gz$/i.test(content.name);
  if (!isUnpackedOnce) return checkedContent(bytes, bytes, content);
  const { beginning, whole } = await beginningOf(bytes, BEGINNING_BYTES);
  // Many servers say of such a file that it is packed for its way, and mean that it is packed: unpacked, it would not be what
  // its name says.
  const within = unpackedBeginning(beginning);
  const isPackedOnce = within !== undefined && !(within[0] === 0x1f && within[1] === 0x8b);
  if (isPackedOnce && isPage(within, content.type)) {
    bytes.destroy();
    throw page();
  }
  return checkedContent(bytes, whole, isPackedOnce ? { ...content, encoding: undefined, type: undefined } : content);
}

/** @param from what is read of the bytes */
async function checkedContent(bytes: Readable, from: Readable, content: Content): Promise<Readable> {
  const unpacked = isPlain(content.encoding) ? from : unpack(from, content);
  const iterator = unpacked[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const beginning: Buffer[] = [];
  let looked = 0;
  try {
    while (looked < BEGINNING_BYTES) {
      const { done, value } = await iterator.next();
      if (done === true) break;
      beginning.push(value);
      looked += value.length;
    }
    if (isPage(Buffer.concat(beginning).subarray(0, BEGINNING_BYTES), content.type)) throw page();
  } catch (error) {
    bytes.destroy();
    throw error;
  }
  const stream = Readable.from(limited(beginning, iterator, content), { objectMode: false });
  // Also where none of it was read.
  stream.once('close', () => bytes.destroy());
  return stream;
}

async function* limited(
  beginning: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
  { name, maxBytes }: Content,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  const counted = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(name, maxBytes);
    return chunk;
  };
  for (const chunk of beginning) yield counted(chunk);
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield counted(value);
  }
}

function unpack(bytes: Readable, { encoding, name }: Content): Readable {
  const unpacker = unpackerOf(encoding)?.();
  if (unpacker === undefined) throw new Error('the encoding was not checked');
  const unpacked = Readable.from(failing(unpacker, name), { objectMode: false });
  // Errors of either reach the reader by way of the unpacker.
  pipeline(bytes, unpacker, () => undefined);
  return unpacked;
}

async function* failing(unpacker: Transform, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } catch (error) {
    const isOurs = error instanceof Error && 'code' in error && /^Z_|^ERR_BROTLI|^ERR__ERROR/.test(String(error.code));
    if (!isOurs) throw error;
    const message = `${name} is said to be packed, and cannot be unpacked: it is damaged, or ends too early`;
    throw new RemoteFailure('BROKEN_OFF', message, { cause: error });
  }
}

/** Whether bytes with that content encoding are as they are. */
export function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || /^\s*(?:identity)?\s*$/i.test(encoding);
}

function unpackerOf(encoding: string | undefined): (() => Transform) | undefined {
  const name = encoding?.trim().toLowerCase() ?? '';
  return Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined;
}

/** Whether a type of content is HTML. Many servers say so of a CSV as well, so that the beginning has to be looked at. */
export function isPageType(type: string | undefined): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? '');
}

function isPage(beginning: Buffer, type: string | undefined): boolean {
  // UTF-16 has a zero beside each of these characters.
  const text = beginning
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .trimStart()
    .toLowerCase();
  if (/^<(?:!doctype html|html|head|body)\b/.test(text)) return true;
  if (!isPageType(type)) return text.startsWith('<!--') && text.includes('<html');
  return text.startsWith('<?xml') ? text.includes('<html') : text.startsWith('<');
}

function page(): RemoteFailure {
  const message =
    'the server answers with a page in HTML in place of the file: a page of an error or of a login; open the address without being logged in to see it';
  return new RemoteFailure('NOT_A_FILE', message);
}
