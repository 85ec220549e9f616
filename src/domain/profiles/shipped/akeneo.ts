/** The product CSV of Akeneo PIM: `;`, and columns such as `name-de_DE-ecommerce`. */
import { defineShippedProfile } from './shipped-profile.js';

export const akeneo = defineShippedProfile({
  name: 'akeneo',
  description:
    'The products of a CSV of Akeneo PIM, with German texts of the channel ecommerce. The family is the category',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ';' },
    columns: [
      { to: 'SKU', from: 'sku', steps: [{ step: 'trim' }] },
      // Like a category here, a family says which attributes a product has.
      { to: 'Category Node', from: 'family', steps: [{ step: 'path', separator: '->' }] },
      { to: 'Parent SKU', from: 'parent', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Categories', from: 'categories', optional: true, steps: [{ step: 'list', separator: ',' }] },
      { to: 'Active', from: 'enabled', optional: true, steps: [{ step: 'boolean', true: ['1'], false: ['0'] }] },
      { to: 'Title', from: 'name-de_DE-ecommerce', optional: true },
      { to: 'Description', from: 'description-de_DE-ecommerce', optional: true },
      { to: 'Price', from: 'price-EUR', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Brand', from: 'brand', optional: true },
      { to: 'Colour', from: 'color', optional: true },
      { to: 'Size', from: 'size', optional: true },
      { to: 'Barcode', from: 'ean', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Weight', from: 'weight', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Weight Unit', from: 'weight-unit', optional: true },
      { to: 'Release Date', from: 'release_date', optional: true, steps: [{ step: 'date', formats: ['yyyy-MM-dd'] }] },
      { to: 'Image', from: 'image', optional: true },
    ],
    unknownColumns: 'warn',
  },
});
