/** The product feed of Google Merchant Center as a text with tabs. */
import { defineShippedProfile, type GivenRule } from './shipped-profile.js';

/** The columns of its specification, which Meta's catalogs have too. */
export const FEED_COLUMNS: readonly GivenRule[] = [
  { to: 'SKU', from: 'id', steps: [{ step: 'trim' }] },
  {
    to: 'Category Node',
    from: 'product_type',
    optional: true,
    steps: [
      { step: 'path', separator: ' > ' },
      { step: 'default', value: 'Uncategorized' },
    ],
  },
  { to: 'Title', from: 'title', steps: [{ step: 'trim' }] },
  { to: 'Description', from: 'description' },
  { to: 'Link', from: 'link', steps: [{ step: 'trim' }] },
  { to: 'Image', from: 'image_link', steps: [{ step: 'trim' }] },
  { to: 'Images', from: 'additional_image_link', optional: true, steps: [{ step: 'list', separator: ',' }] },
  { to: 'Availability', from: 'availability', steps: [{ step: 'trim' }] },
  {
    to: 'Price',
    from: 'price',
    split: { separator: ' ', part: 1 },
    steps: [{ step: 'number', decimal: '.' }],
  },
  { to: 'Currency', from: 'price', split: { separator: ' ', part: 2 } },
  {
    to: 'Sale Price',
    from: 'sale_price',
    optional: true,
    split: { separator: ' ', part: 1 },
    steps: [{ step: 'number', decimal: '.' }],
  },
  { to: 'Sale Currency', from: 'sale_price', optional: true, split: { separator: ' ', part: 2 } },
  { to: 'Brand', from: 'brand', optional: true },
  { to: 'Barcode', from: 'gtin', optional: true, steps: [{ step: 'trim' }] },
  { to: 'MPN', from: 'mpn', optional: true },
  { to: 'Condition', from: 'condition', optional: true },
  { to: 'Group', from: 'item_group_id', optional: true },
  { to: 'Colour', from: 'color', optional: true },
  { to: 'Size', from: 'size', optional: true },
  { to: 'Gender', from: 'gender', optional: true },
  { to: 'Age Group', from: 'age_group', optional: true },
  { to: 'Material', from: 'material', optional: true },
  { to: 'Shipping Weight', from: 'shipping_weight', optional: true },
  { to: 'Google Category', from: 'google_product_category', optional: true },
];

export const googleMerchant = defineShippedProfile({
  name: 'google-merchant',
  description: 'The product feed of Google Merchant Center as a text with tabs (TSV)',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: '\t' },
    columns: FEED_COLUMNS,
    unknownColumns: 'ignore',
  },
});
