/** Creates a category: a top one of the primary tree, the root of an alternate tree, or a child of either. */
import type { Db } from '../../../../db/connection.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import { DomainError } from '../../errors.js';
import { newId } from '../../identifier.js';
import { categoryKey, PRIMARY_ROOT_NAME } from '../category-name.js';
import { bumpDefinitions, lockDefinitions } from '../definitions-version.js';
import { refuseWhileJobPending } from '../pending-job.js';
import { holdsItems } from './category-holdings.js';
import { type CategoryReference, requireCategory } from './find-category.js';

/** Keeps paths short enough for their index, and trees drawable. */
const MAX_CATEGORY_DEPTH = 64;

export interface NewCategory {
  /** Trimmed and NFC. */
  readonly name: string;
  readonly active: boolean;
  /** Place among its siblings; equal ones stand in the order of their creation. */
  readonly order: number;
  /** Null: a top category of the primary tree, or the root of an alternate one. */
  readonly parent: CategoryReference | null;
  /** Counts without a parent only: a child is of its parent's tree. */
  readonly tree: CategoryTree;
}

/**
 * Creates the category and answers its row.
 * @throws DomainError invalid: NODE_NOT_FOUND (parent), CATEGORY_EXISTS (name among its siblings), CATEGORY_TOO_DEEP,
 *   NAME_RESERVED (an alternate root called PRIMARY), NODE_HOLDS_ITEMS (leaf rule);
 *   conflict JOB_PENDING when a leaf would become a parent while an item job may be filling it
 */
export async function createCategory(db: Db, siteId: number, input: NewCategory): Promise<Category> {
  return db.transaction(async (trx) => {
    await lockDefinitions(trx, siteId);
    const root = await primaryRoot(trx, siteId);
    const parent = await parentOf(trx, siteId, input, root);
    await refuseSameName(trx, siteId, parent, input.name);
    if (parent !== null) await refuseChildOf(trx, parent);
    const tree = parent?.tree ?? input.tree;
    if (tree === 'PRIMARY') await bumpDefinitions(trx, siteId);
    return insertCategory(trx, siteId, { ...input, tree }, parent);
  });
}

/** The root of the primary tree, made when the site's first category is. */
async function primaryRoot(trx: Db, siteId: number): Promise<Category> {
  const root = await Category.query(trx).findOne({ site_id: siteId, tree: 'PRIMARY' }).whereNull('parent_id');
  if (root !== undefined) return root;
  await bumpDefinitions(trx, siteId);
  return insertCategory(trx, siteId, { name: PRIMARY_ROOT_NAME, active: true, order: 0, tree: 'PRIMARY' }, null);
}

async function parentOf(trx: Db, siteId: number, input: NewCategory, root: Category): Promise<Category | null> {
  if (input.parent !== null) return requireCategory(trx, siteId, input.parent);
  return input.tree === 'PRIMARY' ? root : null;
}

async function refuseSameName(trx: Db, siteId: number, parent: Category | null, name: string): Promise<void> {
  const twin = await Category.query(trx)
    .findOne({ site_id: siteId, name_key: categoryKey(name) })
    .where((query) => (parent === null ? query.whereNull('parent_id') : query.where('parent_id', parent.id)));
  if (twin === undefined) return;
  if (twin.tree === 'PRIMARY' && parent === null) {
    const message = `The name ${PRIMARY_ROOT_NAME} is taken by the root of the primary tree: give the alternate tree another.`;
    throw new DomainError('invalid', 'NAME_RESERVED', message);
  }
  const place = parent === null ? 'among the roots of alternate trees' : `under "${parent.name}"`;
  const message = `There already is a category "${twin.name}" (node id ${twin.node_id}) ${place}.`;
  throw new DomainError('invalid', 'CATEGORY_EXISTS', message);
}

/** The leaf rule: items lie in leaves, so that what holds some, or may be about to, takes no children. */
async function refuseChildOf(trx: Db, parent: Category): Promise<void> {
  if (parent.depth >= MAX_CATEGORY_DEPTH) {
    const message = `Category "${parent.name}" is ${MAX_CATEGORY_DEPTH} levels below the root: deeper ones are not possible.`;
    throw new DomainError('invalid', 'CATEGORY_TOO_DEEP', message);
  }
  // Whoever fills an alternate category locks its row and looks for children.
  await Category.query(trx).findById(parent.id).select('id').forUpdate();
  if (parent.parent_id === null && parent.tree === 'PRIMARY') return;
  const child = await Category.query(trx).findOne({ parent_id: parent.id }).select('id');
  if (child !== undefined) return;
  if (await holdsItems(trx, parent)) {
    const message = `Category "${parent.name}" (node id ${parent.node_id}) holds items and takes no children: items lie in leaves only.`;
    throw new DomainError('invalid', 'NODE_HOLDS_ITEMS', message);
  }
  if (parent.tree === 'PRIMARY') {
    await refuseWhileJobPending(trx, parent.site_id, ['item'], `Making the leaf "${parent.name}" a parent`);
  }
}

async function insertCategory(
  trx: Db,
  siteId: number,
  input: Omit<NewCategory, 'parent'>,
  parent: Category | null,
): Promise<Category> {
  const nodeId = await takeNodeId(trx, siteId);
  return Category.query(trx)
    .insert({
      id: newId(),
      site_id: siteId,
      node_id: nodeId,
      parent_id: parent?.id ?? null,
      tree: input.tree,
      name: input.name,
      name_key: categoryKey(input.name),
      path: `${parent?.path ?? '/'}${nodeId}/`,
      depth: parent === null ? 0 : parent.depth + 1,
      sort_order: input.order,
      active: input.active,
    })
    .returning('*');
}

async function takeNodeId(trx: Db, siteId: number): Promise<number> {
  const rows = await trx('site')
    .where({ id: siteId })
    .increment('next_node_id', 1)
    .returning<{ next_node_id: number }[]>('next_node_id');
  const next = rows[0]?.next_node_id;
  if (next === undefined) throw new Error(`site ${siteId} does not exist`);
  return next - 1;
}
