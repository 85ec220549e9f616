/** The endpoint that answers with the last export, to a client that has its address. */

import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { fileAtAddress } from '../../../domain/exports/published-files.js';
import { fileFormat, writtenContentTypeOf } from '../../../domain/formats/file-format.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { defineRoute } from '../../define-route.js';
import { asciiName, isKnown, sendStored } from '../../send-stored.js';

const BINARY = 'application/octet-stream';

export const fetchPublishedFileRoute = defineRoute({
  method: 'GET',
  path: '/published/:key',
  operationId: 'fetchPublishedFile',
  family: 'files',
  tag: 'Exports',
  summary: 'Fetch a published file',
  description:
    'The file of the last export that was published there, to every client that has the address. A file that was written with `gzip` is sent compressed to clients that accept it, and unpacked to others. Supports `If-None-Match` and one range of bytes.',
  auth: { public: true },
  siteContext: false,
  params: z.object({ key: z.string().max(100) }),
  refusals: {
    404: 'There is no such address (any more), or nothing is published there yet',
    416: 'The range begins after the end of the file',
  },
  responses: {
    200: { description: 'The file', contentType: BINARY },
    206: { description: 'The requested range of bytes', contentType: BINARY },
    304: { description: 'The client has it already' },
  },
  async handle({ params, headers, koa }, { db, fileStore }) {
    const file = await fileAtAddress(db, params.key);
    if (file === undefined) throw nothingThere();
    const { storageKey, publishedAt } = file;
    const size = await fileStore.size(storageKey);
    if (size === null) throw nothingThere();
    const { name, type, isPacked } = describe(file);
    koa.attachment(name, { fallback: asciiName(name), type: 'inline' });
    const about = {
      'Content-Type': type,
      'Cache-Control': 'private, no-cache',
      'Last-Modified': publishedAt.toUTCString(),
      ...(isPacked ? { Vary: 'Accept-Encoding' } : {}),
    };
    const asked = { method: koa.method, headers };
    if (!isPacked) return sendStored(fileStore, { key: storageKey, size, etag: `"${file.id}"`, about }, asked);
    if (koa.acceptsEncodings('gzip', 'identity') === 'gzip') {
      const packed = { ...about, 'Content-Encoding': 'gzip' };
      return sendStored(fileStore, { key: storageKey, size, etag: `"${file.id}-gzip"`, about: packed }, asked);
    }
    // The length of the unpacked file is known only at its end.
    const unpacked = { ...about, ETag: `"${file.id}"`, 'Accept-Ranges': 'none' };
    if (isKnown(headers, unpacked.ETag)) return { status: 304, headers: unpacked };
    if (koa.method === 'HEAD') return { status: 200, headers: unpacked };
    // What fails on either side ends the answer before its end, which the client notices.
    const stream = pipeline(await fileStore.read(storageKey), createGunzip(), () => undefined);
    return { status: 200, headers: unpacked, stream };
  },
});

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
