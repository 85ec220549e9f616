/** Looks up whom notifications go to: each concerns a document, which stays until they are sent. */
import type { Knex } from 'knex';
import type { SiteContext } from '../access/site-context.js';
import { type Contact, storedContacts } from '../documents/contact-info.js';
import { noSuchDocument } from '../documents/document.js';
import { type NotificationRequest, notificationDigest } from './notification.js';

export interface AddressedNotification extends NotificationRequest {
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
export async function addressNotifications(
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
