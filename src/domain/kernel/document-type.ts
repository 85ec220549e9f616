/** The types of documents, which also appear in the names of events. */
export const DOCUMENT_TYPES = [
  'ORDER',
  'SHIPMENT',
  'ALLOCATION',
  'INVOICE',
  'INVENTORY',
  'LOCATION',
  'TRANSFER',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
