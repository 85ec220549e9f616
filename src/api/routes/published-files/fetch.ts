/** The endpoint that answers with the last export, to a client that has its address. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream';
import { constants, createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib';
import { z } from 'zod';
import { fileAtAddress } from '../../../domain/exports/published-files.js';
import { fileFormat, writtenContentTypeOf } from '../../../domain/formats/file-format.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import type { FileStore } from '../../../platform/file-store.js';
import { type ApiResponse, defineRoute } from '../../define-route.js';
import { asciiName, isKnown, sendStored } from '../../send-stored.js';

const BINARY = 'application/octet-stream';
/** That of the file. */
const ANY = '*/*';
/** What is written as text grows much smaller. Workbooks and Parquet are packed in themselves. */
const TEXT = /^(?:text\/|application\/(?:json|x-ndjson|xml))/;
/** A smaller file is sent within one packet or two. */
const LEAST_TO_PACK = 1_024;
/** Anybody who has the address can ask again and again: the first level takes a quarter of the time, and rows grow a fiftieth larger. */
const PACKED = { level: constants.Z_BEST_SPEED } as const;

export const fetchPublishedFileRoute = defineRoute({
  method: 'GET',
  path: '/published/:key',
  operationId: 'fetchPublishedFile',
  family: 'files',
  tag: 'Exports',
  summary: 'Fetch a published file',
  description:
    'The file of the last export that was published there, to every client that has the address. A file of text, or one that was written with `gzip`, is sent compressed to clients that accept it, and unpacked to others. Supports `If-None-Match` and one range of bytes; of a file of text, the range is one of the unpacked bytes.',
  auth: { public: true },
  siteContext: false,
  params: z.object({ key: z.string().max(100) }),
  refusals: {
    404: 'There is no such address (any more), or nothing is published there yet',
    416: 'The range begins after the end of the file',
  },
  responses: {
    200: { description: 'The file', contentType: ANY },
    206: { description: 'The requested range of bytes', contentType: ANY },
    304: { description: 'The client has it already' },
  },
  async handle({ params, headers, koa }, { db, fileStore }) {
    const file = await fileAtAddress(db, params.key);
    if (file === undefined) throw nothingThere();
    const { storageKey, publishedAt } = file;
    const size = await fileStore.size(storageKey);
    if (size === null) throw nothingThere();
    const { name, type, isPacked } = describe(file);
    const isText = !isPacked && TEXT.test(type);
    koa.attachment(name, { fallback: asciiName(name), type: 'inline' });
    const about = {
      'Content-Type': type,
      'Cache-Control': 'private, no-cache',
      'Last-Modified': publishedAt.toUTCString(),
      ...(isPacked || isText ? { Vary: 'Accept-Encoding' } : {}),
    };
    const asked = { method: koa.method, headers };
    const acceptsGzip = koa.acceptsEncodings('gzip', 'identity') === 'gzip';
    // A range is one of the bytes as they are stored.
    if (isText && size >= LEAST_TO_PACK && headers.range === undefined && acceptsGzip) {
      const packed = { ...about, 'Content-Encoding': 'gzip', ETag: `"${file.id}-gzip"` };
      return sendThrough(fileStore, storageKey, createGzip(PACKED), packed, asked);
    }
    if (!isPacked) return sendStored(fileStore, { key: storageKey, size, etag: `"${file.id}"`, about }, asked);
    if (acceptsGzip) {
      const packed = { ...about, 'Content-Encoding': 'gzip' };
      return sendStored(fileStore, { key: storageKey, size, etag: `"${file.id}-gzip"`, about: packed }, asked);
    }
    return sendThrough(fileStore, storageKey, createGunzip(), { ...about, ETag: `"${file.id}"` }, asked);
  },
});

/** Packs or unpacks a file on its way. Its length is known only at its end. */
async function sendThrough(
  fileStore: Pick<FileStore, 'read'>,
  key: string,
  through: Gunzip | Gzip,
  about: Readonly<Record<string, string>> & { readonly ETag: string },
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
): Promise<ApiResponse> {
  const sent = { ...about, 'Accept-Ranges': 'none' };
  if (isKnown(headers, about.ETag)) return { status: 304, headers: sent };
  if (method === 'HEAD') return { status: 200, headers: sent };
  // What fails on either side ends the answer before its end, which the client notices.
  const stream = pipeline(await fileStore.read(key), through, () => undefined);
  return { status: 200, headers: sent, stream };
}

type Found = NonNullable<Awaited<ReturnType<typeof fileAtAddress>>>;

/** The name and the type that a client sees: compression belongs to the way. */
function describe({ name, contentType: type }: Pick<Found, 'name' | 'contentType'>) {
  const format = fileFormat(name);
  if (format?.gzip !== true) return { name, type: type ?? BINARY, isPacked: false };
  const unpacked = { format: format.format, gzip: false };
  return { name: name.replace(/\.gz$/i, ''), type: writtenContentTypeOf(unpacked), isPacked: true };
}

/** The same for every reason: nobody learns which addresses there were. */
function nothingThere(): DomainError {
  const message =
    'nothing is published at this address: it was mistyped, renewed or deleted, or no export has ended there yet; ask the person from whom you have it';
  return new DomainError('not-found', 'NOT_PUBLISHED', message);
}
