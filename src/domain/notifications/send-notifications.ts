/** Sends notifications: all of a request or none, each once in 24 hours. */
import type { Knex } from 'knex';
import type { Dispatch } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { refuseTooLarge } from '../documents/emit-document-event.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { emitEvents, type NewEvent, newNotificationEvent } from '../webhooks/emit-events.js';
import { type AddressedNotification, addressNotifications } from './address-notifications.js';
import type { NotificationRequest } from './notification.js';

/** The same notification again within this time is taken for a mistake of its sender. */
const DUPLICATE_HOURS = 24;

export interface SentNotifications {
  /** Of the notifications' records, in order. */
  readonly recordIds: readonly string[];
  /** What to enqueue once the transaction has committed. */
  readonly dispatches: readonly Dispatch[];
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
  const { eventIds, dispatches } = await emitEvents(trx, site, addressed.map(eventOf));
  const rows = addressed.map((one, index) => rowOf(site, one, eventIds[index] ?? null));
  await insertOnce(trx, rows);
  return { recordIds: rows.map(({ id }) => id), dispatches };
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
