/** The endpoints of the register of files: announcing one, reading its properties, and getting a URL to download it. */
import { z } from 'zod';
import { findFile, listFiles } from '../../domain/files/find-file.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { knownList, pageParameters, textList } from '../list-query.js';
import { FILE_STATUSES, FILE_TYPES, fileSchema, presentFile } from '../presenters/present-file.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';
import { announceFileRoute } from './files/announce.js';
import { importHeldFileRoute } from './files/import-held.js';
import { inspectFileRoute } from './files/inspection.js';
import { proposeImportRoute } from './files/proposal.js';
import { downloadLocation, expiryAfter } from './files/signed-locations.js';
import { tryProfileRoute } from './files/try-profile.js';

const listFilesRoute = defineRoute({
  method: 'GET',
  path: '/files/product',
  operationId: 'listFiles',
  family: 'files',
  tag: 'Files',
  summary: 'List files, newest first',
  description:
    'These are the files that were announced or uploaded, and the files that jobs wrote (error files, exports).',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.strictObject({
    ids: textList.optional(),
    type: knownList(FILE_TYPES).optional(),
    status: z.enum(FILE_STATUSES).optional(),
    ...pageParameters,
  }),
  responses: { 200: { description: 'Files', schema: pageSchema(fileSchema) } },
  async handle({ query: { ids, type, status, offset, limit }, site }, { db }) {
    const page = await listFiles(db, site, { ids, types: type, status }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentFile) };
  },
});

const readFileRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id',
  operationId: 'getFile',
  family: 'files',
  tag: 'Files',
  summary: 'Read a file',
  description: 'Answers the properties of the file. To read its bytes, get a download URL.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  responses: { 200: { description: 'The file', schema: fileSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentFile(await findFile(db, site.siteId, params.id)) };
  },
});

const VALID_MS = 5 * 60_000;

const signDownloadRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id/actions/download',
  operationId: 'getDownloadUrl',
  family: 'files',
  tag: 'Files',
  summary: 'Get a URL to download a file from',
  description: 'The URL is valid for 5 minutes and needs no token.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  refusals: { 409: 'The file is not uploaded yet', 410: 'The bytes of the file are no longer kept' },
  responses: {
    200: { description: 'The URL', schema: z.object({ location: z.url(), expiresAt: z.iso.datetime() }) },
  },
  async handle({ params, site }, services) {
    const file = await findFile(services.db, site.siteId, params.id);
    const expiresAt = expiryAfter(VALID_MS);
    const location = await downloadLocation(services, file, expiresAt);
    return { status: 200, body: { location, expiresAt: expiresAt.toISOString() } };
  },
});

export const fileRoutes: readonly Route[] = [
  announceFileRoute,
  listFilesRoute,
  readFileRoute,
  signDownloadRoute,
  importHeldFileRoute,
  inspectFileRoute,
  proposeImportRoute,
  tryProfileRoute,
];
