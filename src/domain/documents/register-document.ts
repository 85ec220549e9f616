/** Adds a document to the register. */
import type { Knex } from 'knex';
import { Document } from '../../../db/models/document.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import type { OpaqueJson } from '../kernel/opaque-json.js';
import type { Contact } from './contact-info.js';
import { type DocumentReference, payloadColumn, viewOfDocument } from './document.js';
import { type DocumentReceipt, emitDocumentEvent } from './emit-document-event.js';

interface NewDocument extends DocumentReference {
  readonly payload: OpaqueJson | null;
  readonly contactInfo: readonly Contact[];
}

/**
 * Stores a document and emits `<documentType>_CREATED` in one transaction. A document that is created with a channel
 * belongs to it, but its id is unique across all channels.
 * @throws DomainError conflict when the stage has a document of this type and id, too-large
 */
export async function registerDocument(
  trx: Knex.Transaction,
  site: SiteContext,
  { documentType, id, payload, contactInfo }: NewDocument,
): Promise<DocumentReceipt> {
  const row = await Document.query(trx)
    .insert({
      site_id: site.siteId,
      document_type: documentType,
      id,
      account_id: site.accountId,
      channel: site.channel,
      payload: payloadColumn(payload),
      contact_info: [...contactInfo],
    })
    .onConflict(['site_id', 'document_type', 'id'])
    .ignore()
    .returning('*');
  if (row?.created_at === undefined) {
    const message = `there is a document ${documentType} ${id} already; change it with PUT /api/v2/document/${documentType}/{id}`;
    throw new DomainError('conflict', 'DOCUMENT_EXISTS', message);
  }
  return emitDocumentEvent(trx, site, viewOfDocument(row), 'CREATED');
}
