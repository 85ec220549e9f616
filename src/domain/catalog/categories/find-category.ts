/** Looks up a category of a site as clients name it: by node id or by id. */
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import type { SiteContext } from '../../access/site-context.js';
import { DomainError } from '../../kernel/errors.js';

/** How a client names a category. */
export type CategoryReference = { readonly nodeId: number } | { readonly id: string };

/** Node ids are 32-bit integers: nothing above is in the table, and Postgres would refuse to compare. */
export const MAX_NODE_ID = 2_147_483_647;

/** The category, or undefined: also where it belongs to another site. */
export async function findCategory(
  db: Db,
  siteId: number,
  reference: CategoryReference,
): Promise<Category | undefined> {
  if ('id' in reference) return Category.query(db).findOne({ site_id: siteId, id: reference.id });
  if (reference.nodeId > MAX_NODE_ID) return undefined;
  return Category.query(db).findOne({ site_id: siteId, node_id: reference.nodeId });
}

/** The category, if the context sees it: under a `date`, one that was changed up to it. */
export async function findVisibleCategory(
  db: Db,
  site: SiteContext,
  reference: CategoryReference,
): Promise<Category | undefined> {
  const category = await findCategory(db, site.siteId, reference);
  return category !== undefined && site.date !== null && category.updated_at > site.date ? undefined : category;
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

/** The error of a category that does not exist: `invalid` where a body names it, `not-found` where it is what is asked for. */
export function nodeNotFound(kind: 'invalid' | 'not-found', reference: CategoryReference): DomainError {
  const named = 'id' in reference ? `id ${reference.id}` : `node id ${reference.nodeId}`;
  return new DomainError(kind, 'NODE_NOT_FOUND', `There is no category of ${named}.`);
}
