/** The rules of category trees: names differ among siblings, only leaves hold items, and the depth is limited. */

import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryItem } from '../../../../db/models/category-item.js';
import { Item } from '../../../../db/models/item.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import type { SiteContext } from '../../access/site-context.js';
import { DomainError } from '../../kernel/errors.js';
import { emitEvents } from '../../webhooks/emit-events.js';
import { subscribersOf } from '../../webhooks/subscribers.js';
import { bumpDefinitions, lockDefinitions } from '../definitions-version.js';
import { refuseWhileJobPending } from '../pending-job.js';
import { categoryKey, PRIMARY_ROOT_NAME } from './category-path.js';
import type { CategoryReference } from './find-category.js';
import { findCategory, nodeNotFound } from './find-category.js';

/** The most levels below the root. Paths stay short enough for their index, and trees can be drawn. */
export const MAX_CATEGORY_DEPTH = 64;

/**
 * @param except the category that gets the name; it may have the name already
 * @throws DomainError invalid: CATEGORY_EXISTS, NAME_RESERVED (an alternate root called PRIMARY)
 */
export async function refuseSameName(
  trx: Db,
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
 * @throws DomainError invalid: CATEGORY_TOO_DEEP, NODE_HOLDS_ITEMS; conflict: JOB_PENDING
 */
export async function refuseChildOf(trx: Db, parent: Category, levels: number): Promise<void> {
  if (parent.depth + levels > MAX_CATEGORY_DEPTH) {
    const place = `Category "${parent.name}" is ${parent.depth} levels below the root`;
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
  await refuseWhileJobPending(trx, parent.site_id, ['item'], `Making the leaf "${parent.name}" a parent`);
  // A job that has ended since the first look may have filled it.
  await refuseHeldItems(trx, parent);
  await filledCategories(trx, parent.site_id).where({ node_id: parent.node_id }).delete();
}

async function refuseHeldItems(trx: Db, parent: Category): Promise<void> {
  if (!(await holdsItems(trx, parent))) return;
  const message = `Category "${parent.name}" (node id ${parent.node_id}) holds items and cannot have children: only leaves hold items.`;
  throw new DomainError('invalid', 'NODE_HOLDS_ITEMS', message);
}

// Deletes an empty category, and emits CATEGORY_DELETED if there is a subscriber.

const SUBSCRIBERS = subscribersOf('CATEGORY_DELETED');
const IS_ANY_SUBSCRIBED = `SELECT ${SUBSCRIBERS.isAnySubscribed(':siteId')} AS is_any_subscribed`;

/** The owner of the category; the event belongs to the channel in which it is deleted. */
type Owner = Pick<SiteContext, 'siteId' | 'accountId' | 'channel'>;

interface DeletedCategory {
  /** The row before it was deleted. */
  readonly category: Category;
  /** The outbox entries to enqueue after the commit. */
  readonly outboxEntries: readonly OutboxEntry[];
}

/**
 * Deletes the category with its assignments of attributes.
 * @throws DomainError not-found NODE_NOT_FOUND; invalid: NODE_IS_ROOT (the primary one), CATEGORY_NOT_EMPTY naming its
 *   contents; conflict JOB_PENDING while an item job may be filling it
 */
export async function deleteCategory(db: Db, owner: Owner, reference: CategoryReference): Promise<DeletedCategory> {
  const { siteId } = owner;
  return db.transaction(async (trx) => {
    await lockDefinitions(trx, siteId);
    const found = await findCategory(trx, siteId, reference);
    if (found === undefined) throw nodeNotFound('not-found', reference);
    // A request that puts items into an alternate category also locks its row.
    const category =
      found.tree === 'PRIMARY' ? found : await Category.query(trx).findById(found.id).forUpdate().throwIfNotFound();
    if (category.parent_id === null && category.tree === 'PRIMARY') {
      const message = `"${category.name}" is the root of the primary tree and cannot be deleted.`;
      throw new DomainError('invalid', 'NODE_IS_ROOT', message);
    }
    await refuseChildren(trx, category);
    await refuseItems(trx, category);
    if (category.tree === 'PRIMARY') {
      await refuseWhileJobPending(trx, siteId, ['item'], `Deleting "${category.name}"`);
      // A job that has ended since the first look may have filled it.
      await refuseItems(trx, category);
      await bumpDefinitions(trx, siteId);
      await filledCategories(trx, siteId).where({ node_id: category.node_id }).delete();
    }
    await Category.query(trx).deleteById(category.id);
    return { category, outboxEntries: await emitDeletion(trx, owner, category) };
  });
}

async function emitDeletion(trx: Db, owner: Owner, { id, node_id, name, tree }: Category): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw(IS_ANY_SUBSCRIBED, { siteId: owner.siteId });
  if (!rows[0].is_any_subscribed) return [];
  const event = SUBSCRIBERS.event('CATEGORY_DELETED', { id, nodeId: node_id, name, type: tree }, owner);
  return (await emitEvents(trx, owner, [event])).outboxEntries;
}

async function refuseChildren(trx: Db, category: Category): Promise<void> {
  const children = Category.query(trx).where({ parent_id: category.id });
  const [first] = await children.clone().orderBy(['sort_order', 'node_id']).limit(1);
  if (first === undefined) return;
  const count = await children.resultSize();
  const held = count === 1 ? `a child, "${first.name}"` : `${count} children, the first of them "${first.name}"`;
  throw notEmpty(category, held, 'Delete or move what is below it first.');
}

async function refuseItems(trx: Db, category: Category): Promise<void> {
  const sku = await heldItem(trx, category);
  if (sku === undefined) return;
  const advice =
    category.tree === 'PRIMARY' ? 'Give its items another category first.' : 'Remove its items first (UNSET).';
  throw notEmpty(category, `items, "${sku}" among them`, advice);
}

function notEmpty(category: Category, held: string, advice: string): DomainError {
  const message = `Category "${category.name}" (node id ${category.node_id}) has ${held}: only an empty one can be deleted. ${advice}`;
  return new DomainError('invalid', 'CATEGORY_NOT_EMPTY', message);
}

// Finds out whether a category itself holds items.

/** The records of categories that may hold items: `node_id`, possibly more than once. */
export function filledCategories(db: Db, siteId: number): Knex.QueryBuilder {
  return db('filled_category').where({ site_id: siteId });
}

/** Whether the category itself holds an item; categories below it do not count. */
async function holdsItems(db: Db, category: Category): Promise<boolean> {
  return (await heldItem(db, category)) !== undefined;
}

/**
 * The SKU of one of the items that the category itself holds. There is no index of items by category, because it would
 * slow down every import: a primary leaf that once held items and now holds none costs a scan of all items of the site.
 */
async function heldItem(db: Db, category: Category): Promise<string | undefined> {
  const found =
    category.tree === 'PRIMARY'
      ? await Item.query(db)
          .findOne({ site_id: category.site_id, node_id: category.node_id })
          .whereExists(filledCategories(db, category.site_id).where({ node_id: category.node_id }))
          .select('sku')
          .limit(1)
      : await CategoryItem.query(db).findOne({ category_id: category.id }).select('sku').limit(1);
  return found?.sku;
}
