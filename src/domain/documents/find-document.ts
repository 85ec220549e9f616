/** Finds a document of the caller's stage and channel. */
import type { QueryBuilder } from 'objection';
import type { Db } from '../../../db/connection.js';
import { Document } from '../../../db/models/document.js';
import type { SiteContext } from '../access/site-context.js';
import { type DocumentReference, type DocumentView, noSuchDocument, viewOfDocument } from './document.js';

/** @throws DomainError not-found */
export async function findDocument(db: Db, site: SiteContext, reference: DocumentReference): Promise<DocumentView> {
  const row = await documentQuery(db, site, reference).first();
  if (row === undefined) throw noSuchDocument(reference.id);
  return viewOfDocument(row);
}

/** Selects the document of a reference. A caller with a channel sees documents of the channel and untagged ones. */
export function documentQuery(
  db: Db,
  { siteId, channel }: SiteContext,
  { documentType, id }: DocumentReference,
): QueryBuilder<Document, Document[]> {
  const query = Document.query(db).where({ site_id: siteId, document_type: documentType, id });
  return channel === null ? query : query.where((visible) => visible.whereNull('channel').orWhere({ channel }));
}
