/** How requests name a category: by `nodeId`, a number, or by `id`. Each of the two fields accepts both forms. */
import { z } from 'zod';
import type { CategoryReference } from '../domain/catalog/categories/find-category.js';
import { isId } from '../domain/kernel/identifier.js';

const EXPECTED = 'expected a node id (a whole number) or an id (24 hexadecimal characters)';

/** A node id as a number or as digits, or an id. */
export const categoryReference: z.ZodType<CategoryReference, number | string> = z
  .union([z.int().positive(), z.string().regex(/^([1-9][0-9]{0,9}|[0-9a-f]{24})$/i, EXPECTED)], EXPECTED)
  .transform((given) => {
    const text = String(given).toLowerCase();
    return isId(text) ? { id: text } : { nodeId: Number(text) };
  });

/** The two fields by which a body or query names a category. */
export const categoryFields = { id: categoryReference.optional(), nodeId: categoryReference.optional() };

type Named = { readonly id?: CategoryReference | undefined; readonly nodeId?: CategoryReference | undefined };

/** For `refine`: checks that exactly one of the two is given. */
export function namesOneCategory({ id, nodeId }: Named): boolean {
  return (id === undefined) !== (nodeId === undefined);
}

export const NAME_ONE_CATEGORY = 'name the category by "id" or by "nodeId", and not by both';

/** The category that a body checked with namesOneCategory names. */
export function namedCategory({ id, nodeId }: Named): CategoryReference {
  const reference = id ?? nodeId;
  if (reference === undefined) throw new TypeError('a category must have been named');
  return reference;
}
