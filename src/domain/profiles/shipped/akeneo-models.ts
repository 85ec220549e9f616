/** The CSV of the product models of Akeneo PIM, which are the parents of variant products. */
import { defineShippedProfile } from './shipped-profile.js';

export const akeneoModels = defineShippedProfile({
  name: 'akeneo-models',
  description: 'The product models of a CSV of Akeneo PIM. Import them before their products: akeneo',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ';' },
    columns: [
      { to: 'SKU', from: 'code', steps: [{ step: 'trim' }] },
      // Each level of variants has a family variant, which names attributes as a category does here.
      { to: 'Category Node', from: 'family_variant', steps: [{ step: 'path', separator: '->' }] },
      { to: 'Categories', from: 'categories', optional: true, steps: [{ step: 'list', separator: ',' }] },
      { to: 'Title', from: 'name-de_DE-ecommerce', optional: true },
      { to: 'Description', from: 'description-de_DE-ecommerce', optional: true },
      { to: 'Price', from: 'price-EUR', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Brand', from: 'brand', optional: true },
      { to: 'Weight', from: 'weight', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      { to: 'Weight Unit', from: 'weight-unit', optional: true },
      { to: 'Release Date', from: 'release_date', optional: true, steps: [{ step: 'date', formats: ['yyyy-MM-dd'] }] },
      { to: 'Image', from: 'image', optional: true },
    ],
    unknownColumns: 'warn',
  },
});
