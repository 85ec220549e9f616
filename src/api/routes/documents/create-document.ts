/** POST /api/v2/document */
import { z } from 'zod';
import { runOnce } from '../../../domain/access/accept-once.js';
import { contactInfoSchema } from '../../../domain/documents/contact-info.js';
import { registerDocument } from '../../../domain/documents/register-document.js';
import { enqueueEntries, type OutboxEntry } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { documentIdSchema, documentTypeSchema } from '../../document-reference.js';
import { documentReceiptSchema, presentDocumentReceipt } from '../../presenters/present-document.js';

const body = z.strictObject({
  documentType: documentTypeSchema,
  id: documentIdSchema,
  payload: z.unknown().optional().meta({
    description:
      'Any JSON value. Do not put personal data into it: when the document is deleted, only contacts are erased',
  }),
  contactInfo: contactInfoSchema.nullish(),
});

export const createDocumentRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/document',
  family: 'oms',
  tag: 'Documents',
  summary: 'Register a document',
  description:
    'Emits `<documentType>_CREATED` with the source OMS. If a document with this type and id exists, the answer is 409.',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  idempotent: true,
  body: { schema: body },
  responses: { 200: { description: 'The document is registered', schema: documentReceiptSchema } },
  async handle({ body: { documentType, id, payload, contactInfo }, site, idempotency }, services) {
    let outboxEntries: readonly OutboxEntry[] = [];
    const { answer } = await runOnce(services.db, idempotency, async (trx) => {
      const document = { documentType, id, payload: payload ?? null, contactInfo: contactInfo ?? [] };
      const registered = await registerDocument(trx, site, document);
      outboxEntries = registered.outboxEntries;
      return { status: 200, body: presentDocumentReceipt(document, registered.eventRequestId), jobId: null };
    });
    await enqueueEntries(services.producer, outboxEntries, services.logger);
    return { status: answer.status, body: answer.body };
  },
});
