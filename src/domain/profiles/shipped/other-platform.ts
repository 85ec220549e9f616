/** A file of items of the platform whose interface we implement, in the columns of its template. */
import { defineShippedProfile } from './shipped-profile.js';

export const otherPlatform = defineShippedProfile({
  name: 'other-platform',
  description:
    "A file of items in the columns of the other platform's template, with the attributes that most sites have",
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: [
      { to: 'SKU', from: 'SKU', steps: [{ step: 'trim' }] },
      { to: 'Category Node', from: 'Hierarchy Node', steps: [{ step: 'trim' }] },
      { to: 'Parent SKU', from: 'Parent SKU', optional: true, steps: [{ step: 'trim' }] },
      { to: 'Title', from: 'Title', optional: true },
      { to: 'Description', from: 'Description', optional: true },
      { to: 'Brand', from: 'Brand', optional: true },
      { to: 'Price', from: 'Price', optional: true, steps: [{ step: 'number', decimal: '.' }] },
      {
        to: 'Active',
        from: 'Is Active',
        optional: true,
        steps: [{ step: 'boolean', true: ['true', 'yes', '1'], false: ['false', 'no', '0'] }],
      },
      { to: 'Image', from: 'Image URL', optional: true },
      { to: 'Colour', from: 'Color', optional: true },
      { to: 'Size', from: 'Size', optional: true },
      {
        to: 'Release Date',
        from: 'Launch Date',
        optional: true,
        steps: [{ step: 'date', formats: ['MM/dd/yyyy', 'yyyy-MM-dd'] }],
      },
    ],
    unknownColumns: 'warn',
  },
});
