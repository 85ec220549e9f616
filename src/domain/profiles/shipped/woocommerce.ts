/** The product CSV of WooCommerce, as its own exporter writes it with English headers. */
import { defineShippedProfile } from './shipped-profile.js';

export const woocommerce = defineShippedProfile({
  name: 'woocommerce',
  description: 'The product CSV of WooCommerce: simple and variable products and their variations',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: [
      { to: 'SKU', from: 'SKU', steps: [{ step: 'trim' }] },
      { to: 'Parent SKU', from: 'Parent', optional: true, steps: [{ step: 'trim' }] },
      {
        to: 'Category Node',
        from: 'Categories',
        split: { separator: ',', part: 1 },
        // Variations have no category of their own.
        steps: [
          { step: 'path', separator: ' > ' },
          { step: 'default', value: 'Variants' },
        ],
      },
      { to: 'Product Type', from: 'Type', steps: [{ step: 'trim' }] },
      { to: 'Title', from: 'Name', steps: [{ step: 'trim' }] },
      { to: 'Active', from: 'Published', steps: [{ step: 'boolean', true: ['1'], false: ['0', '-1'] }] },
      { to: 'Short Description', from: 'Short description', optional: true },
      { to: 'Description', from: 'Description', optional: true },
      { to: 'Price', from: 'Regular price', steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Sale Price', from: 'Sale price', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Stock', from: 'Stock', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Weight in kg', from: 'Weight (kg)', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Length in cm', from: 'Length (cm)', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Width in cm', from: 'Width (cm)', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Height in cm', from: 'Height (cm)', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Barcode', from: 'GTIN, UPC, EAN, or ISBN', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Tags', from: 'Tags', optional: true, steps: [{ step: 'list', separator: ', ' }] },
      { to: 'Images', from: 'Images', optional: true, steps: [{ step: 'list', separator: ', ' }] },
      { to: 'Option 1 Name', from: 'Attribute 1 name', optional: true },
      { to: 'Option 1', from: 'Attribute 1 value(s)', optional: true, steps: [{ step: 'list', separator: ', ' }] },
      { to: 'Option 2 Name', from: 'Attribute 2 name', optional: true },
      { to: 'Option 2', from: 'Attribute 2 value(s)', optional: true, steps: [{ step: 'list', separator: ', ' }] },
    ],
    unknownColumns: 'ignore',
    skipRowsWhen: [{ column: 'SKU', is: 'empty' }],
  },
});
