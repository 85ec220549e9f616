/** Documents of the register, which notifications can be about. */
import type { Document } from '../../../db/models/document.js';
import type { DocumentType } from '../kernel/document-type.js';
import { DomainError } from '../kernel/errors.js';
import { OpaqueJson } from '../kernel/opaque-json.js';
import { type Contact, storedContacts } from './contact-info.js';

/** Identifies a document by the id that its owner gave it, which is unique per type and stage. */
export interface DocumentReference {
  readonly documentType: DocumentType;
  readonly id: string;
}

export interface DocumentView extends DocumentReference {
  /** null: none. */
  readonly payload: OpaqueJson | null;
  readonly contactInfo: readonly Contact[];
  readonly channel: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function viewOfDocument(row: Document): DocumentView {
  return {
    documentType: row.document_type as DocumentType,
    id: row.id,
    payload: row.payload === null ? null : new OpaqueJson(row.payload),
    contactInfo: storedContacts(row.contact_info),
    channel: row.channel,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the column of a payload as it was sent; the JSON value null means that there is none. */
export function payloadColumn(payload: OpaqueJson | null): string | null {
  return payload === null || payload.text === 'null' ? null : payload.text;
}

/** The message is the one that the API documents. */
export function noSuchDocument(id: string): DomainError {
  return new DomainError('not-found', 'DOCUMENT_NOT_FOUND', `Entity with Id ${id} doesn't exist`);
}
