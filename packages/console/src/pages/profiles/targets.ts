/** The columns of our files that a profile can fill. */
import type { Definitions } from '../catalog/use-attributes.js';
import type { Document } from './draft.js';

const ITEM_COLUMNS = ['SKU', 'Category Node', 'Parent SKU', 'Alternate Categories', 'Channels'];
const FIXED: Readonly<Record<Document['fileType'], readonly string[]>> = {
  ITEM_IMPORT: ITEM_COLUMNS,
  BUNDLE_IMPORT: [...ITEM_COLUMNS, 'Items'],
  ATTRIBUTE_IMPORT: [
    ...['Attribute Title', 'Type of Attribute', 'Description', 'Decimal', 'Min', 'Max', 'Date Format', 'Mandatory'],
    ...['Unique', 'Inheritable', 'Pattern', 'Max Length', 'Contains', 'Locales', 'Mapping', 'Value 1', 'Value 2'],
  ],
  CATEGORY_IMPORT: ['Category Path', 'Type', 'Order', 'Active', 'Item Attributes'],
};

export function targetsOf(fileType: Document['fileType'], definitions: Definitions | undefined): readonly string[] {
  const isOfItems = fileType === 'ITEM_IMPORT' || fileType === 'BUNDLE_IMPORT';
  const names = isOfItems ? (definitions?.attributes ?? []).map(({ name }) => name) : [];
  return [...new Set([...FIXED[fileType], ...names])];
}
