/** Deletes a document from the register, and its contacts from all notifications and events about it. */
import type { Knex } from 'knex';
import type { SiteContext } from '../access/site-context.js';
import { eraseContacts } from '../webhooks/erase-contacts.js';
import { type DocumentReference, noSuchDocument } from './document.js';
import { documentQuery } from './find-document.js';

interface Erasure {
  /** How many records of notifications about the document there are. */
  readonly notifications: number;
  /** How many stored events were cleared of contacts. */
  readonly events: number;
}

/**
 * Records of notifications are kept without contacts, and pending deliveries no longer carry any. The answers of
 * targets are deleted too, since they may repeat what was sent.
 * @throws DomainError not-found
 */
export async function eraseDocument(
  trx: Knex.Transaction,
  site: SiteContext,
  reference: DocumentReference,
): Promise<Erasure> {
  // Waits for notifications about it that are being sent, and prevents new ones.
  if ((await documentQuery(trx, site, reference).delete()) === 0) throw noSuchDocument(reference.id);
  const { rows } = await trx.raw<{ rows: { notifications: number; events: string[] }[] }>(ERASE, {
    siteId: site.siteId,
    documentType: reference.documentType,
    id: reference.id,
  });
  const { notifications = 0, events = [] } = rows[0] ?? {};
  return { notifications, events: await eraseContacts(trx, events) };
}

/** Digests of contacts are personal data too. The result names the events that carry contacts of the document. */
const ERASE = `
  WITH emitted AS (
    DELETE FROM document_event WHERE site_id = :siteId AND document_type = :documentType AND document_id = :id
    RETURNING event_id
  ), sent AS (
    UPDATE notification SET override_contact_info = NULL, dedupe_digest = NULL
    WHERE site_id = :siteId AND document_type = :documentType AND document_id = :id
    RETURNING event_id
  ), concerned AS MATERIALIZED (
    SELECT event_id FROM emitted UNION SELECT event_id FROM sent WHERE event_id IS NOT NULL
  )
  SELECT (SELECT count(*)::integer FROM sent) AS notifications,
         ARRAY(SELECT event_id FROM concerned ORDER BY event_id) AS events`;
