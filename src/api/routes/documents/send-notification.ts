/** The endpoint that sends notifications about documents. */
import { z } from 'zod';
import { runOnce } from '../../../domain/access/accept-once.js';
import { contactInfoSchema } from '../../../domain/documents/contact-info.js';
import { loadNotifications, sendNotifications } from '../../../domain/notifications/send-notifications.js';
import { eventName } from '../../../domain/webhooks/definition-fields.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { documentIdSchema, documentTypeSchema } from '../../document-fields.js';
import { notificationSchema, presentNotification } from '../../presenters/present-notification.js';

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

export const sendNotificationRoute = defineRoute({
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
