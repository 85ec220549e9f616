/** The product CSV of Shopify, its products: of the rows with one handle, the first has a title, and each may have an image. */
import { defineShippedProfile } from './shipped-profile.js';

export const shopifyProducts = defineShippedProfile({
  name: 'shopify-products',
  description:
    'The products of the product CSV of Shopify, by their handle, each with all its images in their order. Their variants: shopify-variants',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: [
      { to: 'SKU', from: 'Handle', steps: [{ step: 'trim' }] },
      { to: 'Title', from: 'Title', steps: [{ step: 'trim' }] },
      { to: 'Description', from: 'Body (HTML)' },
      { to: 'Brand', from: 'Vendor', steps: [{ step: 'trim' }] },
      {
        to: 'Category Node',
        from: 'Product Category',
        optional: true,
        steps: [
          { step: 'path', separator: ' > ' },
          { step: 'default', value: 'Uncategorized' },
        ],
      },
      { to: 'Product Type', from: 'Type', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Tags', from: 'Tags', steps: [{ step: 'list', separator: ', ' }] },
      { to: 'Active', from: 'Published', steps: [{ step: 'boolean', true: ['true'], false: ['false'] }] },
      // `active`, `draft` or `archived`: what is published may be archived all the same.
      { to: 'Status', from: 'Status', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Option 1 Name', from: 'Option1 Name', optional: true },
      { to: 'Option 2 Name', from: 'Option2 Name', optional: true },
      { to: 'Option 3 Name', from: 'Option3 Name', optional: true },
      { to: 'Images', from: 'Image Src', optional: true, steps: [{ step: 'list', separator: '\n' }] },
      { to: 'Image', from: 'Image Src', optional: true, split: { separator: '\n', part: 1 } },
      { to: 'SEO Title', from: 'SEO Title', optional: true },
      { to: 'SEO Description', from: 'SEO Description', optional: true },
    ],
    unknownColumns: 'ignore',
    continuationRows: {
      when: { column: 'Title', is: 'empty' },
      same: 'Handle',
      collect: [{ column: 'Image Src', orderBy: 'Image Position' }],
    },
  },
});
