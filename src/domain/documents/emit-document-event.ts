/** Emits the event of a document that was created or changed. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import { emitEvents, MAX_PAYLOAD_BYTES, newEvent } from '../webhooks/emit-events.js';
import type { DocumentView } from './document.js';

/** The result of a change of a document. */
export interface DocumentReceipt {
  readonly eventRequestId: string;
  /** What to enqueue once the transaction has committed. */
  readonly outboxEntries: readonly OutboxEntry[];
}

/**
 * Emits `<documentType>_CREATED` or `_UPDATED` with the document in its current state.
 * @throws DomainError too-large
 */
export async function emitDocumentEvent(
  trx: Knex.Transaction,
  site: SiteContext,
  document: DocumentView,
  change: 'CREATED' | 'UPDATED',
): Promise<DocumentReceipt> {
  const { documentType, id, payload, contactInfo } = document;
  const name = `${documentType}_${change}` as const;
  const channel = site.channel ?? document.channel;
  const orderNumber = documentType === 'ORDER' ? id : null;
  const about = { channel, orderNumber, document: `${documentType} ${id}` };
  const event = newEvent(name, { documentType, id, contactInfo, payload }, about);
  refuseTooLarge(event);
  const { eventIds, outboxEntries } = await emitEvents(trx, site, [event]);
  const [eventRequestId = ''] = eventIds;
  await trx('document_event').insert({
    event_id: eventRequestId,
    site_id: site.siteId,
    document_type: documentType,
    document_id: id,
  });
  return { eventRequestId, outboxEntries };
}

/** @throws DomainError too-large */
export function refuseTooLarge({ payload }: { readonly payload: string }): void {
  if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return;
  const message = `the event would carry more than ${MAX_PAYLOAD_BYTES} bytes of JSON; send less payload or fewer contacts`;
  throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
}
