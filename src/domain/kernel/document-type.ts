/** The types of documents that are registered, and that events are named after. */
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
