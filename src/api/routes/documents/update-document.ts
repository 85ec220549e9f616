/** PUT /api/v2/document/{documentType}/{id} */
import { z } from 'zod';
import { changeDocument } from '../../../domain/documents/change-document.js';
import { contactInfoSchema } from '../../../domain/documents/contact-info.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { documentParams } from '../../document-reference.js';
import { documentReceiptSchema, presentDocumentReceipt } from '../../presenters/present-document.js';

const body = z.strictObject({
  documentType: z.string().optional().meta({ description: 'Optional; it must be the one in the address' }),
  id: z.string().optional().meta({ description: 'Optional; it must be the one in the address' }),
  payload: z.unknown().optional().meta({ description: 'If it is left out it stays; null removes it' }),
  contactInfo: contactInfoSchema.nullish().meta({ description: 'If it is left out it stays; null removes it' }),
});

export const updateDocumentRoute = defineRoute({
  method: 'PUT',
  path: '/api/v2/document/:documentType/:id',
  family: 'oms',
  tag: 'Documents',
  summary: 'Change a document',
  description: 'Fields that are left out stay as they are. Emits `<documentType>_UPDATED` with the source OMS.',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  params: documentParams,
  body: { schema: body },
  responses: { 200: { description: 'The document is changed', schema: documentReceiptSchema } },
  async handle({ params, body: { documentType, id, payload, contactInfo }, site }, { db, producer, logger }) {
    if ((documentType ?? params.documentType) !== params.documentType || (id ?? params.id) !== params.id) {
      const message = 'the body names another document than the address; a document keeps its type and id';
      throw new DomainError('invalid', 'DOCUMENT_DIFFERS', message);
    }
    const change = { payload, contactInfo: contactInfo === null ? [] : contactInfo };
    const changed = await db.transaction((trx) => changeDocument(trx, site, params, change));
    await enqueueEntries(producer, changed.outboxEntries, logger);
    return { status: 200, body: presentDocumentReceipt(params, changed.eventRequestId) };
  },
});
