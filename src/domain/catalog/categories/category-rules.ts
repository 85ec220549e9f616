/** The rules of category trees: names differ among siblings, only leaves hold items, and the depth is limited. */
import type { Knex } from 'knex';
import { Category } from '../../../../db/models/category.js';
import { counted } from '../../kernel/counted.js';
import { DomainError } from '../../kernel/errors.js';
import { refuseWhileJobPending } from '../pending-job.js';
import { categoryKey, PRIMARY_ROOT_NAME } from './category-name.js';
import { filledCategories, holdsItems } from './held-items.js';

/** The most levels below the root. Paths stay short enough for their index, and trees can be drawn. */
export const MAX_CATEGORY_DEPTH = 64;

/**
 * @param except the category that gets the name; it may have the name already
 * @throws DomainError invalid: CATEGORY_EXISTS, NAME_RESERVED (an alternate root called PRIMARY)
 */
export async function refuseSameName(
  trx: Knex.Transaction,
  siteId: number,
  parentId: string | null,
  name: string,
  except?: Category,
): Promise<void> {
  const sibling = await Category.query(trx)
    .findOne({ site_id: siteId, name_key: categoryKey(name) })
    .where((query) => (parentId === null ? query.whereNull('parent_id') : query.where('parent_id', parentId)))
    .whereNot('id', except?.id ?? '');
  if (sibling === undefined) return;
  if (sibling.tree === 'PRIMARY' && parentId === null) {
    const message = `The name ${PRIMARY_ROOT_NAME} is reserved for the root of the primary tree: give the alternate tree another name.`;
    throw new DomainError('invalid', 'NAME_RESERVED', message);
  }
  const parent = parentId === null ? undefined : await Category.query(trx).findById(parentId).select('name');
  const place = parent === undefined ? 'among the roots of alternate trees' : `under "${parent.name}"`;
  const message = `There already is a category "${sibling.name}" (node id ${sibling.node_id}) ${place}.`;
  throw new DomainError('invalid', 'CATEGORY_EXISTS', message);
}

/**
 * The leaf rule: only leaves hold items, so a category that holds items, or that a pending job may fill, cannot get
 * children. Call it under the lock of the definitions; in a primary tree, the change must also increment their version.
 * @param levels how many levels are added below the parent: 1 for a single category
 * @param isExclusive whether the caller is a job that no other job of the site runs beside
 * @throws DomainError invalid: CATEGORY_TOO_DEEP, NODE_HOLDS_ITEMS; conflict: JOB_PENDING
 */
export async function refuseChildOf(
  trx: Knex.Transaction,
  parent: Category,
  levels: number,
  isExclusive = false,
): Promise<void> {
  if (parent.depth + levels > MAX_CATEGORY_DEPTH) {
    const place = `Category "${parent.name}" is ${counted(parent.depth, 'level')} below the root`;
    const message =
      levels === 1
        ? `${place}: deeper than ${MAX_CATEGORY_DEPTH} is not possible.`
        : `${place}, and ${levels} levels below it would be more than ${MAX_CATEGORY_DEPTH}.`;
    throw new DomainError('invalid', 'CATEGORY_TOO_DEEP', message);
  }
  if (parent.parent_id === null && parent.tree === 'PRIMARY') return;
  // A request that puts items into an alternate category also locks its row before it looks for children.
  if (parent.tree === 'ALTERNATE') await Category.query(trx).findById(parent.id).select('id').forUpdate();
  const child = await Category.query(trx).findOne({ parent_id: parent.id }).select('id');
  if (child !== undefined) return;
  await refuseHeldItems(trx, parent);
  if (parent.tree === 'ALTERNATE') return;
  if (!isExclusive)
    await refuseWhileJobPending(trx, parent.site_id, ['item'], `Making the leaf "${parent.name}" a parent`);
  // A job that has ended since the first look may have filled it.
  await refuseHeldItems(trx, parent);
  await filledCategories(trx, parent.site_id).where({ node_id: parent.node_id }).delete();
}

async function refuseHeldItems(trx: Knex.Transaction, parent: Category): Promise<void> {
  if (!(await holdsItems(trx, parent))) return;
  const message = `Category "${parent.name}" (node id ${parent.node_id}) holds items and cannot have children: only leaves hold items.`;
  throw new DomainError('invalid', 'NODE_HOLDS_ITEMS', message);
}
