/** The product CSV of Shopify, its variants: rows that have a SKU. Rows of further images have none. */
import { defineShippedProfile, type GivenRule } from './shipped-profile.js';

/** What every variant has besides its SKU. */
export const VARIANT_COLUMNS: readonly GivenRule[] = [
  { to: 'Parent SKU', from: 'Handle', steps: [{ step: 'trim' }] },
  // Only the first row of a product says its category.
  { to: 'Category Node', constant: 'Variants' },
  { to: 'Option 1', from: 'Option1 Value', optional: true },
  { to: 'Option 2', from: 'Option2 Value', optional: true },
  { to: 'Option 3', from: 'Option3 Value', optional: true },
  { to: 'Price', from: 'Variant Price', steps: [{ step: 'number', decimal: '.' }] },
  {
    to: 'Compare-at Price',
    from: 'Variant Compare At Price',
    optional: true,
    steps: [{ step: 'number', decimal: '.' }],
  },
  { to: 'Cost', from: 'Cost per item', optional: true, steps: [{ step: 'number', decimal: '.' }] },
  { to: 'Stock', from: 'Variant Inventory Qty', optional: true, steps: [{ step: 'number', decimal: '.' }] },
  { to: 'Weight in Grams', from: 'Variant Grams', optional: true, steps: [{ step: 'number', decimal: '.' }] },
  { to: 'Barcode', from: 'Variant Barcode', optional: true, steps: [{ step: 'trim' }] },
  { to: 'Variant Image', from: 'Variant Image', optional: true, steps: [{ step: 'trim' }] },
];

export const shopifyVariants = defineShippedProfile({
  name: 'shopify-variants',
  description:
    'The variants of the product CSV of Shopify, by their SKU; those without a SKU are left out and counted, as rows of images. Import the products first: shopify-products',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: [{ to: 'SKU', from: 'Variant SKU', steps: [{ step: 'trim' }] }, ...VARIANT_COLUMNS],
    unknownColumns: 'ignore',
    skipRowsWhen: [
      { column: 'Variant SKU', is: 'empty' },
      { column: 'Handle', is: 'empty' },
    ],
  },
});
