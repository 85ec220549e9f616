/** Which attributes tell the variants of an item apart. */
import type { Attribute, schemas } from '@longshore/client';
import type { Definitions } from './use-attributes.js';

/** A table with more columns is no overview. */
const MOST_AXES = 6;

/**
 * The attributes whose values differ between variants; options first, because sizes and colours are options, and then
 * those with the fewest different values. An attribute that is different in each of many says who it is, and comes last.
 */
export function axesOf(
  variants: readonly Pick<schemas.ListedItem, 'attributes'>[],
  { attributes, roles }: Pick<Definitions, 'attributes' | 'roles'>,
): readonly Attribute[] {
  const differing = attributes.flatMap((attribute) => {
    const { name, type } = attribute;
    // Pictures differ, and nobody chooses by their addresses.
    if (type === 'URL' || name === roles.sku || name === roles.title || name === roles.image) return [];
    const values = new Set(variants.map((variant) => JSON.stringify(variant.attributes[name] ?? null)));
    return values.size > 1 ? [{ attribute, values: values.size }] : [];
  });
  const rank = ({ attribute }: (typeof differing)[number]) => (attribute.type === 'OPTIONS' ? 0 : 1);
  return differing
    .sort((a, b) => rank(a) - rank(b) || a.values - b.values)
    .slice(0, MOST_AXES)
    .map(({ attribute }) => attribute);
}
