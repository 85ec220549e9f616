/** A document, and the answer to a change of one, as the API shows them. */
import { z } from 'zod';
import type { DocumentReference, DocumentView } from '../../domain/documents/document.js';
import { documentTypeSchema } from '../document-fields.js';
import { contactSchema } from './contact-schema.js';

export const documentSchema = z
  .object({
    documentType: documentTypeSchema,
    id: z.string(),
    payload: z.unknown().meta({ description: 'The payload as it was sent; null: there is none' }),
    contactInfo: z.array(contactSchema),
    channel: z.int().nullable(),
    createdDate: z.iso.datetime(),
    updatedDate: z.iso.datetime(),
  })
  .meta({ id: 'Document' });

export function presentDocument(document: DocumentView): z.output<typeof documentSchema> {
  const { documentType, id, payload, contactInfo, channel, createdAt, updatedAt } = document;
  return {
    documentType,
    id,
    payload,
    contactInfo: [...contactInfo],
    channel,
    createdDate: createdAt.toISOString(),
    updatedDate: updatedAt.toISOString(),
  };
}

/** Contains no contacts: answers are stored for repeated requests, and contacts should be in few places only. */
export const documentReceiptSchema = z
  .object({
    documentType: documentTypeSchema,
    id: z.string(),
    eventRequestId: z.string().meta({ description: 'The event that was emitted' }),
  })
  .meta({ id: 'DocumentReceipt' });

export function presentDocumentReceipt(
  { documentType, id }: DocumentReference,
  eventRequestId: string,
): z.output<typeof documentReceiptSchema> {
  return { documentType, id, eventRequestId };
}
