/** DELETE /api/v2/document/{documentType}/{id} */
import { z } from 'zod';
import { eraseDocument } from '../../../domain/documents/erase-document.js';
import { defineRoute } from '../../define-route.js';
import { documentParams, documentTypeSchema } from '../../document-reference.js';

const erasedSchema = z.object({
  documentType: documentTypeSchema,
  id: z.string(),
  erased: z.object({
    notifications: z.int().meta({ description: 'How many notifications about it lost their contacts' }),
    events: z.int().meta({ description: 'How many stored events lost the contacts in their payload' }),
  }),
});

export const deleteDocumentRoute = defineRoute({
  method: 'DELETE',
  path: '/api/v2/document/:documentType/:id',
  family: 'oms',
  tag: 'Documents',
  summary: 'Delete a document, and its contacts wherever they are stored',
  description:
    'Its contacts are also erased from notifications and from the payloads of stored events, delivered or not. No event is emitted.',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  params: documentParams,
  responses: { 200: { description: 'The document is deleted', schema: erasedSchema } },
  async handle({ params, site }, { db }) {
    const erased = await db.transaction((trx) => eraseDocument(trx, site, params));
    return { status: 200, body: { ...params, erased } };
  },
});
