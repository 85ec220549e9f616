/** The endpoints by which the owner of a catalog makes, lists and ends the addresses of published files. */
import { z } from 'zod';
import {
  createPublishedFile,
  deletePublishedFile,
  findPublishedFile,
  listPublishedFiles,
  type PublishedFile,
  renewAddress,
  WHEN_EMPTY,
} from '../../../domain/exports/published-files.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import { plainText } from '../../plain-text.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const common = { family: 'catalog', tag: 'Exports', siteContext: true } as const;
const read = { ...common, auth: { scope: 'feeds:read' } } as const;
const write = { ...common, auth: { scope: 'feeds:write' } } as const;

const whenEmpty = z.enum(WHEN_EMPTY).meta({
  description: 'What becomes of an export without rows: WRITE: it replaces the last one; SKIP: the last one stays',
});
const time = z.iso.datetime();

const publishedFile = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string().nullable().meta({
      description:
        'Fetches the file without a token: treat it as a secret. Null: what encrypted it is lost; it goes on working, but only a new one (renew) can be shown',
    }),
    whenEmpty,
    fileId: z.string().nullable().meta({ description: 'The file that is found there now; null: nothing yet' }),
    fileName: z.string().nullable(),
    bytes: z.int().nullable(),
    rowCount: z.int().nullable(),
    jobId: z.string().nullable().meta({ description: 'The export that wrote it' }),
    publishedAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'PublishedFile' });

const params = z.object({ publishedFileId: z.string() });
const one = { 200: { description: 'The published file', schema: publishedFile } };

export const listPublishedFilesRoute = defineRoute({
  ...read,
  method: 'GET',
  path: '/published-files',
  operationId: 'listPublishedFiles',
  summary: 'List the published files by name',
  description: 'Those of the stage, with their addresses and what is found there.',
  query: z.strictObject(pageParameters),
  responses: { 200: { description: 'The published files', schema: pageSchema(publishedFile) } },
  async handle({ query: { offset, limit }, site }, { db, config, publicUrl }) {
    const page = await listPublishedFiles(db, site.siteId, config.secretsKeys, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, (file) => present(publicUrl(), file)) };
  },
});

export const readPublishedFileRoute = defineRoute({
  ...read,
  method: 'GET',
  path: '/published-files/:publishedFileId',
  operationId: 'getPublishedFile',
  summary: 'Read a published file',
  description: 'Its address, and what is found there.',
  params,
  responses: one,
  async handle({ params: { publishedFileId }, site }, { db, config, publicUrl }) {
    const found = await findPublishedFile(db, site.siteId, config.secretsKeys, publishedFileId);
    return { status: 200, body: present(publicUrl(), found) };
  },
});

export const createPublishedFileRoute = defineRoute({
  ...write,
  method: 'POST',
  path: '/published-files',
  operationId: 'createPublishedFile',
  summary: 'Make an address at which the last export is always found',
  description:
    'For marketplaces and others who fetch a file by themselves. Nothing is found there until an export with `publishAs` and this name has ended. At most 100 in a stage.',
  body: {
    schema: z.strictObject({ name: plainText(100), whenEmpty: whenEmpty.default('WRITE') }),
    example: { name: 'Marketplace', whenEmpty: 'SKIP' },
  },
  refusals: { 409: 'The stage has a published file of this name, or as many as it may have' },
  responses: one,
  audit: 'PUBLISHED_FILE_CREATED',
  async handle({ body, site, audit }, { db, config, publicUrl }) {
    const make = (trx: Parameters<typeof createPublishedFile>[0]) =>
      createPublishedFile(trx, site.siteId, config.secretsKeys, body);
    return { status: 200, body: present(publicUrl(), await audit.change(db, make, targetOf)) };
  },
});

export const renewPublishedFileRoute = defineRoute({
  ...write,
  method: 'POST',
  path: '/published-files/:publishedFileId/actions/renew',
  operationId: 'renewPublishedFile',
  summary: 'Give a published file another address',
  description: 'The address that it had answers 404 at once. What was published is found at the new one.',
  params,
  responses: one,
  audit: 'PUBLISHED_FILE_RENEWED',
  async handle({ params: { publishedFileId }, site, audit }, { db, config, publicUrl }) {
    const renew = (trx: Parameters<typeof renewAddress>[0]) =>
      renewAddress(trx, site.siteId, config.secretsKeys, publishedFileId);
    return { status: 200, body: present(publicUrl(), await audit.change(db, renew, targetOf)) };
  },
});

export const deletePublishedFileRoute = defineRoute({
  ...write,
  method: 'DELETE',
  path: '/published-files/:publishedFileId',
  operationId: 'deletePublishedFile',
  summary: 'Delete a published file',
  description: 'Its address answers 404 at once. The export and its file stay as long as others.',
  params,
  responses: { 200: { description: 'The published file that was deleted', schema: publishedFile } },
  audit: 'PUBLISHED_FILE_DELETED',
  async handle({ params: { publishedFileId }, site, audit }, { db, config, publicUrl }) {
    const remove = (trx: Parameters<typeof deletePublishedFile>[0]) =>
      deletePublishedFile(trx, site.siteId, config.secretsKeys, publishedFileId);
    return { status: 200, body: present(publicUrl(), await audit.change(db, remove, targetOf)) };
  },
});

function targetOf({ id }: PublishedFile): string {
  return `published-file/${id}`;
}

function present(
  publicUrl: string,
  { id, name, key, whenEmpty: skipOrWrite, present: there, createdAt, updatedAt }: PublishedFile,
): z.output<typeof publishedFile> {
  return {
    ...{ id, name, url: key === null ? null : `${publicUrl}/published/${key}`, whenEmpty: skipOrWrite },
    ...{ fileId: there?.fileId ?? null, fileName: there?.fileName ?? null, bytes: there?.bytes ?? null },
    ...{ rowCount: there?.rowCount ?? null, jobId: there?.jobId ?? null },
    publishedAt: there?.publishedAt.toISOString() ?? null,
    ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  };
}
