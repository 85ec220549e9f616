/** Sends the notifications of a request, all or none, and refuses those that were sent within the last 24 hours. */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Notification } from '../../../db/models/notification.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { type Contact, contactKey, storedContacts } from '../documents/contact-info.js';
import { type DocumentReference, noSuchDocument } from '../documents/document.js';
import { refuseTooLarge } from '../documents/emit-document-event.js';
import type { DocumentType } from '../kernel/document-type.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { newNotificationEvent } from '../webhooks/client-events.js';
import { emitEvents } from '../webhooks/emit-events.js';

/** If the same notification is sent again within this time, it is considered the sender's mistake. */
const DUPLICATE_HOURS = 24;

interface SentNotifications {
  /** The ids of the notifications' records, in the order of the request. */
  readonly recordIds: readonly string[];
  /** What to enqueue once the transaction has committed. */
  readonly outboxEntries: readonly OutboxEntry[];
}

/**
 * Records notifications, and emits the event that each of them names.
 * @throws DomainError not-found (a document), conflict (a duplicate), too-large
 */
export async function sendNotifications(
  trx: Knex.Transaction,
  site: SiteContext,
  requests: readonly NotificationRequest[],
): Promise<SentNotifications> {
  const addressed = await addressNotifications(trx, site, requests);
  refuseDuplicates(addressed);
  await forgetOldDigests(trx, site.siteId, addressed);
  const { eventIds, outboxEntries } = await emitEvents(trx, site, addressed.map(eventOf));
  const rows = addressed.map((one, index) => rowOf(site, one, eventIds[index] ?? null));
  await insertOnce(trx, rows);
  return { recordIds: rows.map(({ id }) => id), outboxEntries };
}

function eventOf({ id, documentType, notificationType, contactInfo, channel }: AddressedNotification) {
  const orderNumber = documentType === 'ORDER' ? id : null;
  const about = { channel, orderNumber, document: `${documentType} ${id}` };
  const event = newNotificationEvent({ id, documentType, notificationType, contactInfo }, about);
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

function refuseDuplicates(addressed: readonly AddressedNotification[]): void {
  const seen = new Map<string, number>();
  for (const [index, { digest }] of addressed.entries()) {
    const key = digest.toString('base64');
    const first = seen.get(key);
    if (first !== undefined)
      throw duplicate(
        `notifications ${first} and ${index} (counted from 0) of this request are the same; send one of them`,
      );
    seen.set(key, index);
  }
}

/**
 * Clears the digests of equal notifications that were sent before DUPLICATE_HOURS, so that they can be sent again. Rows
 * are locked in the order in which they are inserted, so that requests do not deadlock.
 */
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

/** Waits for other requests that are sending the same notification. @throws DomainError conflict */
async function insertOnce(trx: Knex.Transaction, rows: readonly ReturnType<typeof rowOf>[]): Promise<void> {
  const ordered = [...rows].sort((a, b) => Buffer.compare(a.dedupe_digest, b.dedupe_digest));
  const inserted = await trx('notification')
    .insert(ordered)
    .onConflict(['site_id', 'dedupe_digest'])
    .ignore()
    .returning('id');
  if (inserted.length < rows.length) {
    throw duplicate(`a notification of this request was sent within the last ${DUPLICATE_HOURS} hours; leave it out`);
  }
}

function duplicate(message: string): DomainError {
  return new DomainError('conflict', 'NOTIFICATION_DUPLICATE', message);
}

// The contacts of notifications. Each is about a document, which is locked until they are sent.

interface AddressedNotification extends NotificationRequest {
  /** The contacts of the request, or those of the document. */
  readonly contactInfo: readonly Contact[];
  readonly channel: number | null;
  readonly digest: Buffer;
}

interface DocumentRow {
  readonly document_type: string;
  readonly id: string;
  readonly contact_info: unknown[] | null;
  readonly channel: number | null;
}

/** @throws DomainError not-found, which names the first document that does not exist */
async function addressNotifications(
  trx: Knex.Transaction,
  site: SiteContext,
  requests: readonly NotificationRequest[],
): Promise<AddressedNotification[]> {
  const documents = await lockDocuments(trx, site, requests);
  return requests.map((request) => {
    const document = documents.get(keyOf(request.documentType, request.id));
    if (document === undefined) throw noSuchDocument(request.id);
    const { overrideContactInfo: override } = request;
    const contactInfo = override.length > 0 ? override : storedContacts(document.contact_info);
    const channel = site.channel ?? document.channel;
    return { ...request, contactInfo, channel, digest: notificationDigest(request, channel, contactInfo) };
  });
}

/**
 * Locks the documents in a shared mode: an erasure waits, while other notifications about them can be sent. The order
 * is fixed, so that requests do not deadlock.
 */
async function lockDocuments(
  trx: Knex.Transaction,
  { siteId, channel }: SiteContext,
  requests: readonly NotificationRequest[],
): Promise<Map<string, DocumentRow>> {
  const wanted = JSON.stringify(requests.map(({ documentType, id }) => ({ type: documentType, id })));
  const { rows } = await trx.raw<{ rows: DocumentRow[] }>(
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

// A notification: a message about a document to the subscribers of the event that it names

export interface NotificationRequest extends DocumentReference {
  /** The name of the event that is emitted. */
  readonly notificationType: string;
  /** Replaces the contacts of the document; empty: those are used. */
  readonly overrideContactInfo: readonly Contact[];
}

/** Loads notifications as they were sent, in the order of the given record ids, without contacts that were erased. */
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
 * Two notifications are the same if they have the same document, type, channel and contacts.
 * @param contacts the contacts that the notification goes to, its own or those of the document
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
