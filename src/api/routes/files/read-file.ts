/** GET /files/product/{id} */
import { z } from 'zod';
import { findFile } from '../../../domain/files/find-file.js';
import { defineRoute } from '../../define-route.js';
import { fileSchema, presentFile } from '../../presenters/present-file.js';

export const readFileRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id',
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
