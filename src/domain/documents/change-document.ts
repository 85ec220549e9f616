/** Changes a document in the register. */
import type { Knex } from 'knex';
import type { SiteContext } from '../access/site-context.js';
import type { OpaqueJson } from '../kernel/opaque-json.js';
import type { Contact } from './contact-info.js';
import { type DocumentReference, noSuchDocument, payloadColumn, viewOfDocument } from './document.js';
import { type DocumentReceipt, emitDocumentEvent } from './emit-document-event.js';
import { documentQuery } from './find-document.js';

/** Fields that are undefined stay unchanged. */
interface DocumentChange {
  readonly payload: OpaqueJson | undefined;
  readonly contactInfo: readonly Contact[] | undefined;
}

/**
 * Changes a document and emits `<documentType>_UPDATED` in one transaction, even if the new values equal the old ones.
 * @throws DomainError not-found, too-large
 */
export async function changeDocument(
  trx: Knex.Transaction,
  site: SiteContext,
  reference: DocumentReference,
  { payload, contactInfo }: DocumentChange,
): Promise<DocumentReceipt> {
  const [row] = await documentQuery(trx, site, reference)
    .patch({
      updated_at: trx.fn.now(),
      ...(payload === undefined ? {} : { payload: payloadColumn(payload) }),
      ...(contactInfo === undefined ? {} : { contact_info: [...contactInfo] }),
    })
    .returning('*');
  if (row === undefined) throw noSuchDocument(reference.id);
  return emitDocumentEvent(trx, site, viewOfDocument(row), 'UPDATED');
}
