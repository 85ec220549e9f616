/** The product CSV of Shopware 6, as its default profile for products writes it. */
import { defineShippedProfile } from './shipped-profile.js';

export const shopware = defineShippedProfile({
  name: 'shopware',
  description:
    'The products and variants of the default product profile of Shopware 6, by their numbers. What it names by ids stays a text',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ';' },
    columns: [
      { to: 'SKU', from: 'product_number', steps: [{ step: 'trim' }] },
      // Its categories, and the products of variants, are ids, which no other file of a shop has.
      { to: 'Category Node', constant: 'Products' },
      { to: 'Shopware Id', from: 'id', steps: [{ step: 'trim' }] },
      { to: 'Shopware Parent Id', from: 'parent_id', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Title', from: 'name', steps: [{ step: 'trim' }] },
      { to: 'Description', from: 'description', optional: true },
      { to: 'Active', from: 'active', optional: true, steps: [{ step: 'boolean', true: ['1'], false: ['0'] }] },
      { to: 'Stock', from: 'stock', steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Net Price', from: 'price_net', steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Gross Price', from: 'price_gross', steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Net Cost', from: 'purchase_prices_net', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Gross Cost', from: 'purchase_prices_gross', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Tax Rate', from: 'tax_rate', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Brand', from: 'manufacturer_name', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Image', from: 'cover_media_url', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Categories', from: 'categories', optional: true, steps: [{ step: 'list', separator: '|' }] },
      { to: 'Properties', from: 'propertyIds', optional: true, steps: [{ step: 'list', separator: '|' }] },
      { to: 'Options', from: 'optionIds', optional: true, steps: [{ step: 'list', separator: '|' }] },
    ],
    unknownColumns: 'ignore',
  },
});
