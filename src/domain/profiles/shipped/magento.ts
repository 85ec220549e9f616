/** The product CSV of Magento 2 and Adobe Commerce: the rows of the default store view. */
import { defineShippedProfile } from './shipped-profile.js';

export const magento = defineShippedProfile({
  name: 'magento',
  description: 'The product CSV of Magento 2 and Adobe Commerce, without the rows of single store views',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: [
      { to: 'SKU', from: 'sku', steps: [{ step: 'trim' }] },
      {
        to: 'Category Node',
        from: 'categories',
        split: { separator: ',', part: 1 },
        steps: [{ step: 'path', separator: '/' }],
      },
      { to: 'Product Type', from: 'product_type', steps: [{ step: 'trim' }] },
      { to: 'Attribute Set', from: 'attribute_set_code', optional: true },
      { to: 'Title', from: 'name', steps: [{ step: 'trim' }] },
      { to: 'Description', from: 'description', optional: true },
      { to: 'Short Description', from: 'short_description', optional: true },
      { to: 'Active', from: 'product_online', steps: [{ step: 'boolean', true: ['1'], false: ['2', '0'] }] },
      { to: 'Visibility', from: 'visibility', optional: true },
      { to: 'Price', from: 'price', steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Special Price', from: 'special_price', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      {
        to: 'Special Price From',
        from: 'special_price_from_date',
        optional: true,
        steps: [{ step: 'date', formats: ['yyyy-MM-dd', 'yyyy-MM-dd HH:mm:ss'] }],
      },
      { to: 'Weight', from: 'weight', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Stock', from: 'qty', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'URL Key', from: 'url_key', optional: true },
      { to: 'SEO Title', from: 'meta_title', optional: true },
      { to: 'SEO Description', from: 'meta_description', optional: true },
      { to: 'Image', from: 'base_image', optional: true },
      { to: 'Images', from: 'additional_images', optional: true, steps: [{ step: 'list', separator: ',' }] },
      { to: 'Additional Attributes', from: 'additional_attributes', optional: true },
      { to: 'Variations', from: 'configurable_variations', optional: true },
    ],
    unknownColumns: 'ignore',
    skipRowsWhen: [
      { column: 'sku', is: 'empty' },
      { column: 'store_view_code', is: { matches: '.+' } },
    ],
  },
});
