/** GET /files/product */
import { z } from 'zod';
import { listFiles } from '../../../domain/files/find-file.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters, textList } from '../../list-query.js';
import { FILE_STATUSES, fileSchema, presentFile } from '../../presenters/present-file.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

export const listFilesRoute = defineRoute({
  method: 'GET',
  path: '/files/product',
  family: 'files',
  tag: 'Files',
  summary: 'List files, newest first',
  description:
    'These are the files that were announced or uploaded, and the files that jobs wrote (error files, exports).',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.object({
    ids: textList.optional(),
    type: textList.optional(),
    status: z.enum(FILE_STATUSES).optional(),
    ...pageParameters,
  }),
  responses: { 200: { description: 'Files', schema: pageSchema(fileSchema) } },
  async handle({ query: { ids, type, status, offset, limit }, site }, { db }) {
    const page = await listFiles(db, site, { ids, types: type, status }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentFile) };
  },
});
