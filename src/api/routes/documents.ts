/** The endpoints of documents and of notifications about them. */
import { z } from 'zod';
import { runOnce } from '../../domain/access/accept-once.js';
import { changeDocument } from '../../domain/documents/change-document.js';
import { contactInfoSchema } from '../../domain/documents/contact-info.js';
import { eraseDocument } from '../../domain/documents/erase-document.js';
import { findDocument } from '../../domain/documents/find-document.js';
import { registerDocument } from '../../domain/documents/register-document.js';
import { DomainError } from '../../domain/kernel/errors.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { enqueueEntries } from '../../queues/outbox.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { documentIdSchema, documentParams, documentTypeSchema } from '../document-fields.js';
import {
  documentReceiptSchema,
  documentSchema,
  presentDocument,
  presentDocumentReceipt,
} from '../presenters/present-document.js';
import { opaqueJson } from '../webhook-fields.js';
import { sendNotificationRoute } from './documents/send-notification.js';

const createDocumentBody = z.strictObject({
  documentType: documentTypeSchema,
  id: documentIdSchema,
  payload: opaqueJson.optional().meta({
    description:
      'Any JSON value, kept and sent byte for byte. Do not put personal data into it: when the document is deleted, only contacts are erased',
  }),
  contactInfo: contactInfoSchema.optional(),
});

const createDocumentRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/document',
  operationId: 'createDocument',
  family: 'oms',
  tag: 'Documents',
  summary: 'Register a document',
  description:
    'Emits `<documentType>_CREATED` with the source OMS. If a document with this type and id exists, the answer is 409.',
  auth: { scope: 'documents:write' },
  siteContext: 'tenant-key',
  idempotent: true,
  body: {
    schema: createDocumentBody,
    opaque: 'payload',
    example: {
      documentType: 'ORDER',
      id: 'ORDER-1001',
      payload: { status: 'PAID' },
      contactInfo: [{ name: { first: 'Ada', last: 'Byron' }, email: 'ada@example.com' }],
    },
  },
  refusals: { 409: 'A document with this type and id exists' },
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

const readDocumentRoute = defineRoute({
  method: 'GET',
  path: '/api/v2/document/:documentType/:id',
  operationId: 'getDocument',
  family: 'oms',
  tag: 'Documents',
  summary: 'Show a document',
  description: 'The document as it was registered and changed since, with its payload and its contact information.',
  auth: { scope: 'documents:read' },
  siteContext: 'tenant-key',
  params: documentParams,
  responses: { 200: { description: 'The document', schema: documentSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentDocument(await findDocument(db, site, params)) };
  },
});

const updateDocumentBody = z.strictObject({
  documentType: z.string().optional().meta({ description: 'Optional; it must be the one in the address' }),
  id: z.string().optional().meta({ description: 'Optional; it must be the one in the address' }),
  payload: opaqueJson.optional().meta({ description: 'If it is left out it stays; null removes it' }),
  contactInfo: contactInfoSchema.nullish().meta({ description: 'If it is left out it stays; null removes it' }),
});

const updateDocumentRoute = defineRoute({
  method: 'PUT',
  path: '/api/v2/document/:documentType/:id',
  operationId: 'updateDocument',
  family: 'oms',
  tag: 'Documents',
  summary: 'Change a document',
  description: 'Fields that are left out stay as they are. Emits `<documentType>_UPDATED` with the source OMS.',
  auth: { scope: 'documents:write' },
  siteContext: 'tenant-key',
  params: documentParams,
  body: { schema: updateDocumentBody, opaque: 'payload', example: { payload: { status: 'SHIPPED' } } },
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

const erasedSchema = z.object({
  documentType: documentTypeSchema,
  id: z.string(),
  erased: z.object({
    notifications: z.int().meta({ description: 'How many notifications about it lost their contacts' }),
    events: z.int().meta({ description: 'How many stored events lost the contacts in their payload' }),
  }),
});

const deleteDocumentRoute = defineRoute({
  method: 'DELETE',
  path: '/api/v2/document/:documentType/:id',
  operationId: 'deleteDocument',
  family: 'oms',
  tag: 'Documents',
  summary: 'Delete a document, and its contacts wherever they are stored',
  description:
    'Its contacts are also erased from notifications and from the payloads of stored events, delivered or not. No event is emitted.',
  auth: { scope: 'documents:write' },
  siteContext: 'tenant-key',
  params: documentParams,
  responses: { 200: { description: 'The document is deleted', schema: erasedSchema } },
  audit: 'DOCUMENT_ERASED',
  async handle({ params, site, audit }, { db }) {
    const erased = await db.transaction(async (trx) => {
      const result = await eraseDocument(trx, site, params);
      await audit.record(trx, `document/${params.documentType}/${params.id}`);
      return result;
    });
    return { status: 200, body: { ...params, erased } };
  },
});

export const documentRoutes: readonly Route[] = [
  createDocumentRoute,
  readDocumentRoute,
  updateDocumentRoute,
  deleteDocumentRoute,
  sendNotificationRoute,
];
