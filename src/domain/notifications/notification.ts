/** A notification: word about a document, to whoever hears the event that it names. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { Notification } from '../../../db/models/notification.js';
import { type Contact, contactKey, storedContacts } from '../documents/contact-info.js';
import type { DocumentReference } from '../documents/document.js';
import type { DocumentType } from '../kernel/document-type.js';

export interface NotificationRequest extends DocumentReference {
  /** The name of the event that is emitted. */
  readonly notificationType: string;
  /** Instead of the document's own; empty: those. */
  readonly overrideContactInfo: readonly Contact[];
}

/** Notifications as they were sent, in the order of their record ids as given; contacts that were erased are gone. */
export async function loadNotifications(db: Db, recordIds: readonly string[]): Promise<NotificationRequest[]> {
  const rows = await Notification.query(db).whereIn('id', [...recordIds]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return recordIds.flatMap((id) => byId.get(id) ?? []).map(requestOf);
}

function requestOf(row: Notification): NotificationRequest {
  return {
    id: row.document_id,
    documentType: row.document_type as DocumentType,
    notificationType: row.notification_type,
    overrideContactInfo: storedContacts(row.override_contact_info),
  };
}

/**
 * What makes two notifications the same: document, type, channel, and who is to hear of it.
 * @param contacts those that the notification goes to, its own or the document's
 */
export function notificationDigest(
  { documentType, id, notificationType }: NotificationRequest,
  channel: number | null,
  contacts: readonly Contact[],
): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([documentType, id, notificationType, channel, contactKey(contacts)]))
    .digest();
}
