/** The event of a notification. The sender names it: definitions subscribe to the `notificationType`. */
import { z } from 'zod';
import { DOCUMENT_TYPES } from '../../kernel/document-type.js';
import { contacts } from './contacts.js';
import { defineEventType } from './event-type.js';

/** Represents all names that senders give in the registry. */
export const NAMED_BY_SENDER = '<notificationType>';

export const notificationEvent = defineEventType({
  name: NAMED_BY_SENDER,
  source: 'OMS',
  audience: 'subscribers',
  description: 'a notification about a document was sent',
  payload: z.strictObject({
    documentType: z.enum(DOCUMENT_TYPES),
    id: z.string().meta({ description: 'The id of the document that the notification is about' }),
    notificationType: z.string(),
    contactInfo: contacts,
  }),
  example: {
    documentType: 'ORDER',
    id: 'SO-1001',
    notificationType: 'ORDER_SHIPPED',
    contactInfo: [{ phone: { number: '15550100', type: 'MOBILE' } }],
  },
});
