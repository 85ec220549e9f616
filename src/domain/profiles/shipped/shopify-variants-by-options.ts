/** The product CSV of Shopify, its variants, where a SKU is missing or that of several: the handle and the options name each. */
import { defineShippedProfile } from './shipped-profile.js';
import { VARIANT_COLUMNS } from './shopify-variants.js';

export const shopifyVariantsByOptions = defineShippedProfile({
  name: 'shopify-variants-by-options',
  description:
    'The variants of the product CSV of Shopify whose SKUs are missing or repeated: each is known by its handle and its options, as in shirt/Red/M. Import the products first: shopify-products',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: [
      {
        to: 'SKU',
        from: ['Handle', 'Option1 Value', 'Option2 Value', 'Option3 Value'],
        combine: 'join',
        joinWith: '/',
      },
      { to: 'SKU in Shopify', from: 'Variant SKU', optional: true, steps: [{ step: 'trim' }] },
      ...VARIANT_COLUMNS,
    ],
    unknownColumns: 'ignore',
    skipRowsWhen: [
      { column: 'Option1 Value', is: 'empty' },
      { column: 'Handle', is: 'empty' },
    ],
  },
});
