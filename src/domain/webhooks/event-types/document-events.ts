/** Events of documents: `<documentType>_CREATED` and `<documentType>_UPDATED`. */
import { z } from 'zod';
import { DOCUMENT_TYPES, type DocumentType } from '../../kernel/document-type.js';
import { contacts } from './contacts.js';
import { defineEventType, type EventType } from './event-type.js';

/** How a document changed. */
type DocumentChange = 'CREATED' | 'UPDATED';

const payload = z.strictObject({
  documentType: z.enum(DOCUMENT_TYPES),
  id: z.string().meta({ description: 'The id that the owner gave to the document' }),
  contactInfo: contacts,
  payload: z.unknown().meta({ description: 'Any JSON value: the content of the document as it was sent' }),
});

type DocumentEvent = EventType<`${DocumentType}_${DocumentChange}`, 'OMS', typeof payload>;

const DONE: readonly (readonly [DocumentChange, string])[] = [
  ['CREATED', 'registered'],
  ['UPDATED', 'changed'],
];

export const documentEvents: readonly DocumentEvent[] = DOCUMENT_TYPES.flatMap((documentType) =>
  DONE.map(([change, done]) => {
    const name = `${documentType}_${change}` as const;
    return defineEventType({
      name,
      source: 'OMS',
      audience: 'subscribers',
      description: `a document of type ${documentType} was ${done}`,
      payload,
      example: {
        documentType,
        id: 'SO-1001',
        contactInfo: [{ name: { first: 'Jane' }, email: 'jane@shop.example' }],
        payload: { total: 19.9 },
      },
    });
  }),
);
