/** Takes a document out of the register, and its contacts out of everything that is kept because of it. */
import type { Knex } from 'knex';
import type { SiteContext } from '../access/site-context.js';
import { eraseContacts } from '../webhooks/event-log.js';
import { type DocumentReference, noSuchDocument } from './document.js';
import { documentQuery } from './find-document.js';

interface Erasure {
  /** Records of notifications that concerned it. */
  readonly notifications: number;
  /** Events whose kept payload lost its contacts. */
  readonly events: number;
}

/**
 * Notifications stay as records without contacts. Deliveries that are still to be made carry none either. What a target
 * answered may repeat what it was sent, and goes too.
 * @throws DomainError not-found
 */
export async function eraseDocument(
  trx: Knex.Transaction,
  site: SiteContext,
  reference: DocumentReference,
): Promise<Erasure> {
  // Waits for notifications that are being sent about it, and lets no more begin.
  if ((await documentQuery(trx, site, reference).delete()) === 0) throw noSuchDocument(reference.id);
  const { rows } = await trx.raw<{ rows: { notifications: number; events: string[] }[] }>(ERASE, {
    siteId: site.siteId,
    documentType: reference.documentType,
    id: reference.id,
  });
  const { notifications = 0, events = [] } = rows[0] ?? {};
  return { notifications, events: await eraseContacts(trx, events) };
}

/** A digest of contacts is personal too. Answers which events carry contacts of the document. */
const ERASE = `
  WITH told AS (
    DELETE FROM document_event WHERE site_id = :siteId AND document_type = :documentType AND document_id = :id
    RETURNING event_id
  ), sent AS (
    UPDATE notification SET override_contact_info = NULL, dedupe_digest = NULL
    WHERE site_id = :siteId AND document_type = :documentType AND document_id = :id
    RETURNING event_id
  ), concerned AS MATERIALIZED (
    SELECT event_id FROM told UNION SELECT event_id FROM sent WHERE event_id IS NOT NULL
  )
  SELECT (SELECT count(*)::integer FROM sent) AS notifications,
         ARRAY(SELECT event_id FROM concerned ORDER BY event_id) AS events`;
