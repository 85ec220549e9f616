/** A catalog with an attribute of every kind of rule, for tests of what rows may say. */
import type { CatalogPlan } from '../http/shop.js';

const SAMPLE_ATTRIBUTES = [
  { name: 'Title', type: 'TEXT' },
  { name: 'Size', type: 'TEXT', validation: { maxLength: 5 } },
  { name: 'Code', type: 'TEXT', validation: { pattern: '^[A-Z]{2}-[0-9]+$' } },
  { name: 'Link', type: 'TEXT', validation: { startWith: 'https://', contains: '.example' } },
  { name: 'Price', type: 'DECIMAL', validation: { range: { min: 0, max: 9999 } } },
  { name: 'Weight', type: 'DECIMAL' },
  { name: 'Stock', type: 'INTEGER' },
  { name: 'Released', type: 'DATETIME' },
  { name: 'Fragile', type: 'BOOLEAN' },
  { name: 'Colour', type: 'OPTIONS', options: ['red', 'green', 'blue'] },
  { name: 'Gtin', type: 'TEXT', validation: { unique: true } },
] as const;

const ALL = SAMPLE_ATTRIBUTES.map(({ name }) => name);

/** `Storage->Disk` has every attribute, `Storage->Tape` the title only; `Storage` is no leaf. */
export const SAMPLE_CATALOG: CatalogPlan = {
  attributes: SAMPLE_ATTRIBUTES,
  categories: { 'Storage->Disk': ALL, 'Storage->Tape': ['Title'] },
};

export const DISK = 'Storage->Disk';
export const TAPE = 'Storage->Tape';
