/** The register of documents: what notifications can be about. */
import type { Document } from '../../../db/models/document.js';
import type { DocumentType } from '../kernel/document-type.js';
import { DomainError } from '../kernel/errors.js';
import { type Contact, storedContacts } from './contact-info.js';

/** A document under the id that its owner gave it, which is unique for its type and stage. */
export interface DocumentReference {
  readonly documentType: DocumentType;
  readonly id: string;
}

export interface DocumentView extends DocumentReference {
  /** Any JSON; null: none. */
  readonly payload: unknown;
  readonly contactInfo: readonly Contact[];
  readonly channel: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function viewOfDocument(row: Document): DocumentView {
  return {
    documentType: row.document_type as DocumentType,
    id: row.id,
    payload: row.payload === null ? null : JSON.parse(row.payload),
    contactInfo: storedContacts(row.contact_info),
    channel: row.channel,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** In the words of the interface. */
export function noSuchDocument(id: string): DomainError {
  return new DomainError('not-found', 'DOCUMENT_NOT_FOUND', `Entity with Id ${id} doesn't exist`);
}
