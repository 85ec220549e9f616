/** Renames a category, reorders it, activates or deactivates it, or moves it with all categories below it. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { DomainError } from '../../kernel/errors.js';
import { bumpDefinitions, lockDefinitions } from '../definitions-version.js';
import { scheduleStatusJob } from '../status-job.js';
import { categoryKey } from './category-name.js';
import { refuseChildOf, refuseSameName } from './category-rules.js';
import { type CategoryReference, requireCategory } from './find-category.js';

/** Undefined fields are left as they are. */
interface CategoryUpdate {
  /** Trimmed and in NFC. */
  readonly name?: string | undefined;
  readonly active?: boolean | undefined;
  readonly order?: number | undefined;
  /** The new parent. */
  readonly parent?: CategoryReference | undefined;
  /** Whether the caller is a job that no other job of the site runs beside. */
  readonly isExclusive?: boolean;
}

/**
 * Makes all changes or none, and returns the row. An update that changes nothing writes nothing.
 * @throws DomainError invalid: NODE_NOT_FOUND (the category or its parent), NODE_IS_ROOT (a root moved, or PRIMARY
 *   renamed), NODE_OF_OTHER_TREE, CATEGORY_CYCLE (under itself), CATEGORY_EXISTS and NAME_RESERVED (its name at its
 *   place), CATEGORY_TOO_DEEP, NODE_HOLDS_ITEMS (leaf rule); conflict JOB_PENDING when a leaf would become a parent
 *   while an item job may be filling it
 */
export async function updateCategory(
  db: Db,
  siteId: number,
  reference: CategoryReference,
  update: CategoryUpdate,
): Promise<Category> {
  return db.transaction(async (trx) => {
    await lockDefinitions(trx, siteId);
    const category = await requireCategory(trx, siteId, reference);
    const parent = await newParent(trx, category, update);
    const renamed = update.name !== undefined && update.name !== category.name;
    if (renamed) refuseRenamedRoot(category);
    if (parent !== null) await refuseMove(trx, category, parent, update.isExclusive);
    if (renamed || parent !== null) {
      await refuseSameName(trx, siteId, parent?.id ?? category.parent_id, update.name ?? category.name, category);
    }
    const { name = category.name, active = category.active, order = category.sort_order } = update;
    if (!renamed && parent === null && active === category.active && order === category.sort_order) return category;
    // Rows of items name alternate categories by their paths, so that a row that was applied before is read again.
    if (category.tree === 'PRIMARY' || renamed || parent !== null) await bumpDefinitions(trx, siteId);
    if (parent !== null) await moveTree(trx, category, parent);
    const updated = await Category.query(trx).patchAndFetchById(category.id, {
      name,
      name_key: categoryKey(name),
      active,
      sort_order: order,
      parent_id: parent?.id ?? category.parent_id,
      updated_at: new Date(),
    });
    // The category may inherit other attributes now.
    if (parent !== null && category.tree === 'PRIMARY') await scheduleStatusJob(trx, siteId, [category.node_id]);
    return updated;
  });
}

/** The new parent; null when the category stays where it is. */
async function newParent(
  trx: Knex.Transaction,
  category: Category,
  { parent }: CategoryUpdate,
): Promise<Category | null> {
  if (parent === undefined) return null;
  const found = await requireCategory(trx, category.site_id, parent);
  return found.id === category.parent_id ? null : found;
}

function refuseRenamedRoot(category: Category): void {
  if (category.parent_id !== null || category.tree === 'ALTERNATE') return;
  throw new DomainError(
    'invalid',
    'NODE_IS_ROOT',
    `The root of the primary tree is always called "${category.name}" and cannot be renamed.`,
  );
}

async function refuseMove(
  trx: Knex.Transaction,
  category: Category,
  parent: Category,
  isExclusive = false,
): Promise<void> {
  const { name, path, tree } = category;
  if (category.parent_id === null) {
    throw new DomainError('invalid', 'NODE_IS_ROOT', `"${name}" is the root of a tree and cannot be moved.`);
  }
  if (tree !== parent.tree) {
    const message = `"${name}" is ${tree} and "${parent.name}" is ${parent.tree}: a category cannot be moved to another tree.`;
    throw new DomainError('invalid', 'NODE_OF_OTHER_TREE', message);
  }
  if (parent.path.startsWith(path)) {
    const place = parent.id === category.id ? 'itself' : `"${parent.name}", which is below it`;
    throw new DomainError('invalid', 'CATEGORY_CYCLE', `"${name}" cannot be moved under ${place}.`);
  }
  const { deepest } = await trx('category')
    .where({ site_id: category.site_id })
    .where('path', 'like', `${path}%`)
    .first(trx.raw('max(depth) AS deepest'));
  await refuseChildOf(trx, parent, deepest - category.depth + 1, isExclusive);
}

/** Updates the paths of the category and of all categories below it in one statement. */
async function moveTree(
  trx: Knex.Transaction,
  { site_id: siteId, path, depth, node_id: nodeId }: Category,
  parent: Category,
): Promise<void> {
  await trx.raw(
    `UPDATE category SET path = :to || substr(path, :kept), depth = depth + :deeper
     WHERE site_id = :siteId AND path LIKE :below`,
    {
      siteId,
      to: `${parent.path}${nodeId}/`,
      kept: path.length + 1,
      deeper: parent.depth + 1 - depth,
      below: `${path}%`,
    },
  );
}
