/** The types of jobs that are imports: the list of imports has them, by their kinds. */

export const IMPORT_TYPES = {
  all: [
    'ITEM_IMPORT',
    'PRODUCT_IMPORT',
    'ITEM_VARIANT_IMPORT',
    'BUNDLE_IMPORT',
    'ATTRIBUTE_IMPORT',
    'CATEGORY_IMPORT',
    'REVERT',
  ],
  items: ['ITEM_IMPORT', 'PRODUCT_IMPORT', 'ITEM_VARIANT_IMPORT'],
  bundles: ['BUNDLE_IMPORT'],
  attributes: ['ATTRIBUTE_IMPORT'],
  categories: ['CATEGORY_IMPORT'],
  undo: ['REVERT'],
} as const;
