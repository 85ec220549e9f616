/** The endpoint from which a file is downloaded, as a whole or in part. */
import { File } from '../../../../db/models/file.js';
import { bytesGone, requireBytes } from '../../../domain/files/download-file.js';
import { requireSignature } from '../../../domain/files/signed-url.js';
import { defineRoute } from '../../define-route.js';
import { asciiName, sendStored } from '../../send-stored.js';
import { signedParams, signedQuery } from './signed-parameters.js';

const BINARY = 'application/octet-stream';
/** That of the file. */
const ANY = '*/*';

export const downloadFileRoute = defineRoute({
  method: 'GET',
  path: '/downloads/:fileId',
  operationId: 'downloadFile',
  family: 'files',
  tag: 'Files',
  summary: 'Download a file from a signed URL',
  description: 'Supports one range of bytes, so that an interrupted download can be resumed.',
  auth: { signedUrl: true },
  siteContext: false,
  params: signedParams,
  query: signedQuery,
  refusals: {
    403: 'The URL is not signed, or it has expired',
    409: 'The file is not uploaded yet',
    410: 'The bytes of the file are no longer kept',
    416: 'The range begins after the end of the file',
  },
  responses: {
    200: { description: 'The bytes of the file', contentType: ANY },
    206: { description: 'The requested range of bytes', contentType: ANY },
  },
  async handle({ params: { fileId }, query, headers, koa }, services) {
    const { config, db, fileStore } = services;
    requireSignature(config.secretsKeys, 'download', fileId, query, new Date());
    const file = await File.query(db).findById(fileId);
    if (file === undefined) throw bytesGone(fileId);
    const key = requireBytes(file);
    const size = await fileStore.size(key);
    if (size === null) throw bytesGone(fileId);
    koa.attachment(file.name, { fallback: asciiName(file.name) });
    const about = { 'Content-Type': file.content_type ?? BINARY, 'Cache-Control': 'private, no-store' };
    return sendStored(fileStore, { key, size, etag: `"${fileId}"`, about }, { method: koa.method, headers });
  },
});
