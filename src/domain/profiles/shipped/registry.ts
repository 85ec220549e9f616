/** The profiles that come with Longshore. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { type Profile, profileSchema } from '../model/profile.js';
import { akeneo } from './akeneo.js';
import { akeneoModels } from './akeneo-models.js';
import { googleMerchant } from './google-merchant.js';
import { googleMerchantCsv } from './google-merchant-csv.js';
import { magento } from './magento.js';
import { otherPlatform } from './other-platform.js';
import { prestashop } from './prestashop.js';
import type { ShippedProfile } from './shipped-profile.js';
import { shopifyProducts } from './shopify-products.js';
import { shopifyVariants } from './shopify-variants.js';
import { shopifyVariantsByOptions } from './shopify-variants-by-options.js';
import { shopware } from './shopware.js';
import { woocommerce } from './woocommerce.js';

/** The profiles by name. */
export const SHIPPED_PROFILES: readonly ShippedProfile[] = [
  akeneo,
  akeneoModels,
  googleMerchant,
  googleMerchantCsv,
  magento,
  otherPlatform,
  prestashop,
  shopifyProducts,
  shopifyVariants,
  shopifyVariantsByOptions,
  shopware,
  woocommerce,
];

/** The profile of a name, in any case; undefined when there is none. */
export function shippedProfile(name: string): ShippedProfile | undefined {
  return SHIPPED_PROFILES.find((shipped) => shipped.name === attributeKey(name));
}

const documents = new WeakMap<ShippedProfile, Profile>();

/** Its document, with the defaults of what it leaves out. It is the same object each time, and cannot be changed. */
export function documentOf(shipped: ShippedProfile): Profile {
  const known = documents.get(shipped);
  if (known !== undefined) return known;
  const document = profileSchema.parse(shipped.profile);
  documents.set(shipped, frozen(document));
  return document;
}

/** All requests of a process share it. */
function frozen<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member);
  return Object.freeze(value);
}
