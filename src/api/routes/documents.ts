/** The endpoints of documents and of notifications about them, with the forms in which clients see both. */
import { z } from 'zod';
import { runOnce } from '../../domain/access/accept-once.js';
import { changeDocument } from '../../domain/documents/change-document.js';
import { contactInfoSchema } from '../../domain/documents/contact-info.js';
import type { DocumentReference, DocumentView } from '../../domain/documents/document.js';
import { eraseDocument } from '../../domain/documents/erase-document.js';
import { findDocument } from '../../domain/documents/find-document.js';
import { registerDocument } from '../../domain/documents/register-document.js';
import { isStorable } from '../../domain/kernel/characters.js';
import { DOCUMENT_TYPES } from '../../domain/kernel/document-type.js';
import { DomainError } from '../../domain/kernel/errors.js';
import type { NotificationRequest } from '../../domain/notifications/send-notifications.js';
import { loadNotifications, sendNotifications } from '../../domain/notifications/send-notifications.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { enqueueEntries } from '../../queues/outbox.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { eventName, opaqueJson } from '../webhook-fields.js';

// How requests name a document.

const MAX_ID_CHARACTERS = 255;

const documentTypeSchema = z.enum(DOCUMENT_TYPES);

/** The client's own id, stored exactly as it was sent. */
const documentIdSchema = z
  .string()
  .min(1)
  .max(MAX_ID_CHARACTERS)
  .refine(isStorable, 'contains a NUL character or an unpaired surrogate, which cannot be stored')
  .meta({ description: 'Your own id of the document' });

/** The parameters of a path. */
const documentParams = z.object({ documentType: documentTypeSchema, id: documentIdSchema });

// A contact as the API shows it.

const contactSchema = z.object({
  name: z
    .object({ first: z.string().optional(), middle: z.string().optional(), last: z.string().optional() })
    .optional(),
  email: z.string().optional(),
  phone: z.object({ number: z.string(), type: z.enum(['MOBILE', 'HOME', 'BUSINESS']).optional() }).optional(),
});

// A document, and the answer to a change of one, as the API shows them.

const documentSchema = z
  .object({
    documentType: documentTypeSchema,
    id: z.string(),
    payload: z.unknown().meta({ description: 'The payload as it was sent; null: there is none' }),
    contactInfo: z.array(contactSchema),
    channel: z.int().nullable(),
    createdDate: z.iso.datetime(),
    updatedDate: z.iso.datetime(),
  })
  .meta({ id: 'Document' });

function presentDocument(document: DocumentView): z.output<typeof documentSchema> {
  const { documentType, id, payload, contactInfo, channel, createdAt, updatedAt } = document;
  return {
    documentType,
    id,
    payload,
    contactInfo: [...contactInfo],
    channel,
    createdDate: createdAt.toISOString(),
    updatedDate: updatedAt.toISOString(),
  };
}

/** Contains no contacts: answers are stored for repeated requests, and contacts should be in few places only. */
const documentReceiptSchema = z
  .object({
    documentType: documentTypeSchema,
    id: z.string(),
    eventRequestId: z.string().meta({ description: 'The event that was emitted' }),
  })
  .meta({ id: 'DocumentReceipt' });

function presentDocumentReceipt(
  { documentType, id }: DocumentReference,
  eventRequestId: string,
): z.output<typeof documentReceiptSchema> {
  return { documentType, id, eventRequestId };
}

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

// A notification as the API shows it, with the four fields of the interface only.

const notificationSchema = z
  .object({
    id: z.string(),
    documentType: documentTypeSchema,
    notificationType: z.string(),
    overrideContactInfo: z.array(contactSchema),
  })
  .meta({ id: 'Notification' });

function presentNotification(sent: NotificationRequest): z.output<typeof notificationSchema> {
  const { id, documentType, notificationType, overrideContactInfo } = sent;
  return { id, documentType, notificationType, overrideContactInfo: [...overrideContactInfo] };
}

const DUPLICATE_TEXT = 'Conflict with duplicated entity';
const MAX_NOTIFICATIONS = 1_000;

const notification = z.strictObject({
  id: documentIdSchema,
  notificationType: eventName.meta({ description: 'The event that is emitted, such as ORDER_SHIPPED' }),
  documentType: documentTypeSchema,
  overrideContactInfo: contactInfoSchema.optional().meta({
    description:
      'Contacts that replace those of the document. If it is left out or empty, the contacts of the document are used',
  }),
});

/** Only the ids of the records are stored for a repeated request: contacts are stored in as few places as possible. */
const storedAnswer = z.array(z.string());

const sendNotificationRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/notification/send',
  operationId: 'sendNotifications',
  family: 'notification',
  tag: 'Notifications',
  summary: 'Send one or several notifications about documents',
  description:
    'Emits the event that `notificationType` names, with the source OMS. Either all notifications are sent, or none. If the same notification was sent within 24 hours, or is twice in the request, the answer is 409.',
  auth: { scope: 'notifications:send' },
  siteContext: 'tenant-key',
  idempotent: true,
  body: {
    schema: z.union([notification, z.array(notification).min(1).max(MAX_NOTIFICATIONS)]),
    example: { id: 'ORDER-1001', notificationType: 'ORDER_SHIPPED', documentType: 'ORDER' },
  },
  responses: {
    200: { description: 'What was sent', schema: z.array(notificationSchema) },
    404: { description: "A document is not registered: `Entity with Id <id> doesn't exist`", schema: z.string() },
    409: { description: 'A duplicate: `Conflict with duplicated entity`', schema: z.literal(DUPLICATE_TEXT) },
  },
  async handle({ body, site, idempotency }, { db, producer, logger }) {
    const requests = (Array.isArray(body) ? body : [body]).map((one) => ({
      ...one,
      overrideContactInfo: one.overrideContactInfo ?? [],
    }));
    let outboxEntries: readonly OutboxEntry[] = [];
    const { answer, replayed } = await runOnce(db, idempotency, async (trx) => {
      const sent = await sendNotifications(trx, site, requests);
      outboxEntries = sent.outboxEntries;
      return { status: 200, body: sent.recordIds, jobId: null };
    });
    await enqueueEntries(producer, outboxEntries, logger);
    const records = replayed ? await loadNotifications(db, storedAnswer.parse(answer.body)) : requests;
    return { status: 200, body: records.map(presentNotification) };
  },
});

export const documentRoutes: readonly Route[] = [
  createDocumentRoute,
  readDocumentRoute,
  updateDocumentRoute,
  deleteDocumentRoute,
  sendNotificationRoute,
];
