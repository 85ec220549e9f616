/** How requests name a document. */
import { z } from 'zod';
import { isStorable } from '../domain/kernel/characters.js';
import { DOCUMENT_TYPES } from '../domain/kernel/document-type.js';

const MAX_ID_CHARACTERS = 255;

export const documentTypeSchema = z.enum(DOCUMENT_TYPES);

/** The client's own id, stored exactly as it was sent. */
export const documentIdSchema = z
  .string()
  .min(1)
  .max(MAX_ID_CHARACTERS)
  .refine(isStorable, 'contains a NUL character or an unpaired surrogate, which cannot be stored')
  .meta({ description: 'Your own id of the document' });

/** The parameters of a path. */
export const documentParams = z.object({ documentType: documentTypeSchema, id: documentIdSchema });
