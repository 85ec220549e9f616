/** Looks up a category of a site as clients name it: by node id or by id. */
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { DomainError } from '../../kernel/errors.js';

/** How a client names a category. */
export type CategoryReference = { readonly nodeId: number } | { readonly id: string };

/** Node ids are 32-bit integers: the table holds none above, and Postgres would refuse the comparison. */
export const MAX_NODE_ID = 2_147_483_647;

/** The category; undefined when the site has no such category. */
export async function findCategory(
  db: Db,
  siteId: number,
  reference: CategoryReference,
): Promise<Category | undefined> {
  if ('id' in reference) return Category.query(db).findOne({ site_id: siteId, id: reference.id });
  if (reference.nodeId > MAX_NODE_ID) return undefined;
  return Category.query(db).findOne({ site_id: siteId, node_id: reference.nodeId });
}

/**
 * The category that a request names.
 * @throws DomainError invalid NODE_NOT_FOUND
 */
export async function requireCategory(db: Db, siteId: number, reference: CategoryReference): Promise<Category> {
  const category = await findCategory(db, siteId, reference);
  if (category === undefined) throw nodeNotFound('invalid', reference);
  return category;
}

/**
 * The error for a category that does not exist: `invalid` when a body names it, `not-found` when it is requested
 * itself.
 */
export function nodeNotFound(kind: 'invalid' | 'not-found', reference: CategoryReference): DomainError {
  const named = 'id' in reference ? `id ${reference.id}` : `node id ${reference.nodeId}`;
  return new DomainError(kind, 'NODE_NOT_FOUND', `There is no category with ${named}.`);
}
