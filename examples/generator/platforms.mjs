/** Writes one shop in the forms of several platforms, each with the body of the request that imports it. */
import { akeneoFiles } from './platforms/akeneo.mjs';
import { inventGoods } from './platforms/goods.mjs';
import { googleMerchantFiles } from './platforms/google-merchant.mjs';
import { magentoFiles } from './platforms/magento.mjs';
import { otherPlatformFiles } from './platforms/other-platform.mjs';
import { prestashopFiles } from './platforms/prestashop.mjs';
import { shopifyFiles } from './platforms/shopify.mjs';
import { shopwareFiles } from './platforms/shopware.mjs';
import { wooCommerceFiles } from './platforms/woocommerce.mjs';

/** @returns name → text */
export function platformFiles() {
  const goods = inventGoods();
  const files = {
    ...shopifyFiles(goods),
    ...wooCommerceFiles(goods),
    ...magentoFiles(goods),
    ...akeneoFiles(goods),
    ...googleMerchantFiles(goods),
    ...otherPlatformFiles(goods),
    ...prestashopFiles(goods),
    ...shopwareFiles(goods),
  };
  const texts = Object.entries(files).map(([name, file]) => [
    name,
    typeof file === 'string' ? file : `${JSON.stringify(file, null, 2)}\n`,
  ]);
  return Object.fromEntries(texts);
}
