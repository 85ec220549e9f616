/** The profiles that come with Longshore. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { type Profile, profileSchema } from '../model/profile.js';
import { akeneo } from './akeneo.js';
import { akeneoModels } from './akeneo-models.js';
import { googleMerchant } from './google-merchant.js';
import { magento } from './magento.js';
import { otherPlatform } from './other-platform.js';
import type { ShippedProfile } from './shipped-profile.js';
import { shopifyProducts } from './shopify-products.js';
import { shopifyVariants } from './shopify-variants.js';
import { shopifyVariantsByOptions } from './shopify-variants-by-options.js';
import { woocommerce } from './woocommerce.js';

/** The profiles by name. */
export const SHIPPED_PROFILES: readonly ShippedProfile[] = [
  akeneo,
  akeneoModels,
  googleMerchant,
  magento,
  otherPlatform,
  shopifyProducts,
  shopifyVariants,
  shopifyVariantsByOptions,
  woocommerce,
];

/** The profile of a name, in any case; undefined when there is none. */
export function shippedProfile(name: string): ShippedProfile | undefined {
  return SHIPPED_PROFILES.find((shipped) => shipped.name === attributeKey(name));
}

/** Its document, with the defaults of what it leaves out. */
export function documentOf({ profile }: ShippedProfile): Profile {
  return profileSchema.parse(profile);
}
