/** GET /api/v2/document/{documentType}/{id} */
import { findDocument } from '../../../domain/documents/find-document.js';
import { defineRoute } from '../../define-route.js';
import { documentParams } from '../../document-reference.js';
import { documentSchema, presentDocument } from '../../presenters/present-document.js';

export const readDocumentRoute = defineRoute({
  method: 'GET',
  path: '/api/v2/document/:documentType/:id',
  family: 'oms',
  tag: 'Documents',
  summary: 'Show a document',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  params: documentParams,
  responses: { 200: { description: 'The document', schema: documentSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentDocument(await findDocument(db, site, params)) };
  },
});
