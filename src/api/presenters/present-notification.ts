/** A notification as the API shows it, with the four fields of the interface only. */
import { z } from 'zod';
import type { NotificationRequest } from '../../domain/notifications/send-notifications.js';
import { documentTypeSchema } from '../document-fields.js';
import { contactSchema } from './contact-schema.js';

export const notificationSchema = z
  .object({
    id: z.string(),
    documentType: documentTypeSchema,
    notificationType: z.string(),
    overrideContactInfo: z.array(contactSchema),
  })
  .meta({ id: 'Notification' });

export function presentNotification(sent: NotificationRequest): z.output<typeof notificationSchema> {
  const { id, documentType, notificationType, overrideContactInfo } = sent;
  return { id, documentType, notificationType, overrideContactInfo: [...overrideContactInfo] };
}
