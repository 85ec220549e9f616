/** Creates a category: a top category of the primary tree, the root of an alternate tree, or a child of either. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import { newId } from '../../kernel/identifier.js';
import { bumpDefinitions, lockDefinitions } from '../definitions-version.js';
import { categoryKey, PRIMARY_ROOT_NAME } from './category-name.js';
import { refuseChildOf, refuseSameName } from './category-rules.js';
import { type CategoryReference, requireCategory } from './find-category.js';

interface NewCategory {
  /** Trimmed and in NFC. */
  readonly name: string;
  readonly active: boolean;
  /** Position among its siblings; categories with equal positions are in the order of their creation. */
  readonly order: number;
  /** Null for a top category of the primary tree, or the root of an alternate tree. */
  readonly parent: CategoryReference | null;
  /** Used only without a parent: a child belongs to its parent's tree. */
  readonly tree: CategoryTree;
}

/**
 * Creates the category and returns its row.
 * @throws DomainError invalid: NODE_NOT_FOUND (parent), CATEGORY_EXISTS (name among its siblings), CATEGORY_TOO_DEEP,
 *   NAME_RESERVED (an alternate root called PRIMARY), NODE_HOLDS_ITEMS (leaf rule); conflict JOB_PENDING when a leaf
 *   would become a parent while an item job may be filling it
 */
export async function createCategory(db: Db, siteId: number, input: NewCategory): Promise<Category> {
  return db.transaction(async (trx) => {
    await lockDefinitions(trx, siteId);
    const root = await primaryRoot(trx, siteId);
    const parent = await parentOf(trx, siteId, input, root);
    await refuseSameName(trx, siteId, parent?.id ?? null, input.name);
    if (parent !== null) await refuseChildOf(trx, parent, 1);
    const tree = parent?.tree ?? input.tree;
    if (tree === 'PRIMARY') await bumpDefinitions(trx, siteId);
    return insertCategory(trx, siteId, { ...input, tree }, parent);
  });
}

/** A category that was there before. */
export interface FormerCategory extends Omit<NewCategory, 'parent'> {
  readonly id: string;
  readonly nodeId: number;
  readonly parentId: string | null;
}

/**
 * Creates a category again that was deleted, with its id and node id. The caller has incremented the version of the
 * definitions, and is a job that no other job of the site runs beside.
 * @throws DomainError as createCategory
 */
export async function recreateCategory(trx: Knex.Transaction, siteId: number, former: FormerCategory): Promise<void> {
  const { id, nodeId, parentId, ...input } = former;
  const parent = parentId === null ? null : await requireCategory(trx, siteId, { id: parentId });
  await refuseSameName(trx, siteId, parentId, input.name);
  if (parent !== null) await refuseChildOf(trx, parent, 1, true);
  await insertCategory(trx, siteId, input, parent, { id, nodeId });
}

/** The root of the primary tree, which is created with the site's first category. */
async function primaryRoot(trx: Knex.Transaction, siteId: number): Promise<Category> {
  const root = await Category.query(trx).findOne({ site_id: siteId, tree: 'PRIMARY' }).whereNull('parent_id');
  if (root !== undefined) return root;
  await bumpDefinitions(trx, siteId);
  return insertCategory(trx, siteId, { name: PRIMARY_ROOT_NAME, active: true, order: 0, tree: 'PRIMARY' }, null);
}

async function parentOf(
  trx: Knex.Transaction,
  siteId: number,
  input: NewCategory,
  root: Category,
): Promise<Category | null> {
  if (input.parent !== null) return requireCategory(trx, siteId, input.parent);
  return input.tree === 'PRIMARY' ? root : null;
}

async function insertCategory(
  trx: Knex.Transaction,
  siteId: number,
  input: Omit<NewCategory, 'parent'>,
  parent: Category | null,
  given?: { readonly id: string; readonly nodeId: number },
): Promise<Category> {
  const { id, nodeId } = given ?? { id: newId(), nodeId: await nextNodeId(trx, siteId) };
  return Category.query(trx)
    .insert({
      id,
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

async function nextNodeId(trx: Knex.Transaction, siteId: number): Promise<number> {
  const rows = await trx('site')
    .where({ id: siteId })
    .increment('next_node_id', 1)
    .returning<{ next_node_id: number }[]>('next_node_id');
  const next = rows[0]?.next_node_id;
  if (next === undefined) throw new Error(`site ${siteId} does not exist`);
  return next - 1;
}
