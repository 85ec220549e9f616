/** The product feed of Google Merchant Center with commas, as the catalogs of Meta and feed plugins of shops write it. */
import { FEED_COLUMNS } from './google-merchant.js';
import { defineShippedProfile } from './shipped-profile.js';

export const googleMerchantCsv = defineShippedProfile({
  name: 'google-merchant-csv',
  description: 'The product feed of Google Merchant Center, or of a catalog of Meta, with commas (CSV)',
  profile: {
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'utf-8', delimiter: ',' },
    columns: FEED_COLUMNS,
    unknownColumns: 'ignore',
  },
});
