/** Sends notifications: all of a request or none, each once in 24 hours. */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Notification } from '../../../db/models/notification.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import type { Contact } from '../documents/contact-info.js';
import { contactKey, storedContacts } from '../documents/contact-info.js';
import type { DocumentReference } from '../documents/document.js';
import { noSuchDocument } from '../documents/document.js';
import { refuseTooLarge } from '../documents/emit-document-event.js';
import type { DocumentType } from '../kernel/document-type.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import type { NewEvent } from '../webhooks/emit-events.js';
import { emitEvents, newNotificationEvent } from '../webhooks/emit-events.js';

/** The same notification again within this time is taken for a mistake of its sender. */
const DUPLICATE_HOURS = 24;

interface SentNotifications {
  /** Of the notifications' records, in order. */
  readonly recordIds: readonly string[];
  /** What to enqueue once the transaction has committed. */
  readonly outboxEntries: readonly OutboxEntry[];
}

/**
 * Records notifications and emits the event that each names.
 * @throws DomainError not-found (a document), conflict (a duplicate), too-large
 */
export async function sendNotifications(
  trx: Knex.Transaction,
  site: SiteContext,
  requests: readonly NotificationRequest[],
): Promise<SentNotifications> {
  const addressed = await addressNotifications(trx, site, requests);
  refuseTwins(addressed);
  await forgetOldDigests(trx, site.siteId, addressed);
  const { eventIds, outboxEntries } = await emitEvents(trx, site, addressed.map(eventOf));
  const rows = addressed.map((one, index) => rowOf(site, one, eventIds[index] ?? null));
  await insertOnce(trx, rows);
  return { recordIds: rows.map(({ id }) => id), outboxEntries };
}

function eventOf({ id, documentType, notificationType, contactInfo, channel }: AddressedNotification): NewEvent {
  const orderNumber = documentType === 'ORDER' ? id : null;
  const event = newNotificationEvent({ id, documentType, notificationType, contactInfo }, { channel, orderNumber });
  refuseTooLarge(event);
  return event;
}

function rowOf(site: SiteContext, notification: AddressedNotification, eventId: string | null) {
  const { documentType, id, notificationType, overrideContactInfo: override, digest } = notification;
  return {
    id: newId(),
    site_id: site.siteId,
    account_id: site.accountId,
    document_type: documentType,
    document_id: id,
    notification_type: notificationType,
    override_contact_info: override.length === 0 ? null : JSON.stringify(override),
    event_id: eventId,
    dedupe_digest: digest,
  };
}

function refuseTwins(addressed: readonly AddressedNotification[]): void {
  const seen = new Map<string, number>();
  for (const [index, { digest }] of addressed.entries()) {
    const key = digest.toString('base64');
    const first = seen.get(key);
    if (first !== undefined) throw duplicate(`notifications ${first} and ${index} of this request are the same`);
    seen.set(key, index);
  }
}

/** Makes room for what was sent before, but long enough ago. Row by row in one order, as they are inserted. */
async function forgetOldDigests(
  trx: Knex.Transaction,
  siteId: number,
  addressed: readonly AddressedNotification[],
): Promise<void> {
  const old = trx('notification')
    .where({ site_id: siteId })
    .whereIn(
      'dedupe_digest',
      addressed.map(({ digest }) => digest),
    )
    .whereRaw("created_at <= now() - ? * interval '1 hour'", [DUPLICATE_HOURS])
    .orderBy('dedupe_digest')
    .forUpdate()
    .select('id');
  await trx('notification').whereIn('id', old).update({ dedupe_digest: null });
}

/** A twin that another request is sending at this moment is waited for. @throws DomainError conflict */
async function insertOnce(trx: Knex.Transaction, rows: readonly ReturnType<typeof rowOf>[]): Promise<void> {
  const ordered = [...rows].sort((a, b) => Buffer.compare(a.dedupe_digest, b.dedupe_digest));
  const inserted = await trx('notification')
    .insert(ordered)
    .onConflict(['site_id', 'dedupe_digest'])
    .ignore()
    .returning('id');
  if (inserted.length < rows.length) {
    throw duplicate(`a notification of this request was sent within the last ${DUPLICATE_HOURS} hours`);
  }
}

function duplicate(message: string): DomainError {
  return new DomainError('conflict', 'NOTIFICATION_DUPLICATE', message);
}

// Looks up whom notifications go to: each concerns a document, which stays until they are sent.

interface AddressedNotification extends NotificationRequest {
  /** Its own, or those of its document. */
  readonly contactInfo: readonly Contact[];
  readonly channel: number | null;
  readonly digest: Buffer;
}

interface AddressBookRow {
  readonly document_type: string;
  readonly id: string;
  readonly contact_info: unknown[] | null;
  readonly channel: number | null;
}

/** @throws DomainError not-found, naming the first document that there is not */
async function addressNotifications(
  trx: Knex.Transaction,
  site: SiteContext,
  requests: readonly NotificationRequest[],
): Promise<AddressedNotification[]> {
  const documents = await holdDocuments(trx, site, requests);
  return requests.map((request) => {
    const document = documents.get(keyOf(request.documentType, request.id));
    if (document === undefined) throw noSuchDocument(request.id);
    const { overrideContactInfo: override } = request;
    const contactInfo = override.length > 0 ? override : storedContacts(document.contact_info);
    const channel = site.channel ?? document.channel;
    return { ...request, contactInfo, channel, digest: notificationDigest(request, channel, contactInfo) };
  });
}

/** Whoever erases one of them now waits; others send as well. Held in one order, so that nobody waits in a circle. */
async function holdDocuments(
  trx: Knex.Transaction,
  { siteId, channel }: SiteContext,
  requests: readonly NotificationRequest[],
): Promise<Map<string, AddressBookRow>> {
  const wanted = JSON.stringify(requests.map(({ documentType, id }) => ({ type: documentType, id })));
  const { rows } = await trx.raw<{ rows: AddressBookRow[] }>(
    `SELECT document.document_type, document.id, document.contact_info, document.channel
     FROM document JOIN jsonb_to_recordset(CAST(:wanted AS jsonb)) AS wanted (type text, id text)
       ON document.document_type = wanted.type AND document.id = wanted.id COLLATE "C"
     WHERE document.site_id = :siteId
       AND (CAST(:channel AS integer) IS NULL OR document.channel IS NULL OR document.channel = :channel)
     ORDER BY document.document_type, document.id FOR KEY SHARE OF document`,
    { wanted, siteId, channel },
  );
  return new Map(rows.map((row) => [keyOf(row.document_type, row.id), row]));
}

function keyOf(documentType: string, id: string): string {
  return `${documentType} ${id}`;
}

// A notification: word about a document, to whoever hears the event that it names.

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
function notificationDigest(
  { documentType, id, notificationType }: NotificationRequest,
  channel: number | null,
  contacts: readonly Contact[],
): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([documentType, id, notificationType, channel, contactKey(contacts)]))
    .digest();
}
