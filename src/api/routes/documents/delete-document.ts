/** DELETE /api/v2/document/{documentType}/{id} */
import { z } from 'zod';
import { eraseDocument } from '../../../domain/documents/erase-document.js';
import { defineRoute } from '../../define-route.js';
import { documentParams, documentTypeSchema } from '../../document-reference.js';

const erasedSchema = z.object({
  documentType: documentTypeSchema,
  id: z.string(),
  erased: z.object({
    notifications: z.int().meta({ description: 'Notifications about it, which are kept without contacts' }),
    events: z.int().meta({ description: 'Events whose kept payload lost its contacts' }),
  }),
});

export const deleteDocumentRoute = defineRoute({
  method: 'DELETE',
  path: '/api/v2/document/:documentType/:id',
  family: 'oms',
  tag: 'Documents',
  summary: 'Delete a document, and its contacts wherever they are kept',
  description:
    'Its contacts leave notifications and the payloads of events that are still kept, delivered or not. Emits nothing.',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  params: documentParams,
  responses: { 200: { description: 'It is deleted', schema: erasedSchema } },
  async handle({ params, site }, { db }) {
    const erased = await db.transaction((trx) => eraseDocument(trx, site, params));
    return { status: 200, body: { ...params, erased } };
  },
});
