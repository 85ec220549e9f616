/** The columns of item files that are no attributes. */

export type FixedKind = 'sku' | 'category' | 'parent' | 'items' | 'alternates' | 'channels';

/** The columns that are not attributes, by their names in lower case. */
export const FIXED_COLUMNS: ReadonlyMap<string, FixedKind> = new Map([
  ['sku', 'sku'],
  ['category node', 'category'],
  ['hierarchy node', 'category'],
  ['parent sku', 'parent'],
  ['items', 'items'],
  ['alternate categories', 'alternates'],
  ['channels', 'channels'],
]);

/** Columns that were added when sites could have attributes of these names already; then the attribute is meant. */
export const YIELDING: ReadonlySet<FixedKind> = new Set(['alternates', 'channels']);
