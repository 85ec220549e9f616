/** The headers of the columns that every item export can have. */
import type { ItemColumn } from './export-spec.js';

export type FixedKind = Exclude<ItemColumn['kind'], 'attribute' | 'fact' | 'operation'>;

/** The headers of the fixed columns. */
export const FIXED_HEADERS: Readonly<Record<FixedKind, string>> = {
  category: 'Category Node',
  sku: 'SKU',
  parent: 'Parent SKU',
  bundleItems: 'Items',
  alternates: 'Alternate Categories',
  channels: 'Channels',
};
