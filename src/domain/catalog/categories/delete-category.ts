/** Deletes an empty category, and emits CATEGORY_DELETED if there is a subscriber. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import type { SiteContext } from '../../access/site-context.js';
import { DomainError } from '../../kernel/errors.js';
import { emitEvents } from '../../webhooks/emit-events.js';
import { subscribersOf } from '../../webhooks/subscribers.js';
import { bumpDefinitions, lockDefinitions } from '../definitions-version.js';
import { refuseWhileJobPending } from '../pending-job.js';
import { type CategoryReference, findCategory, nodeNotFound } from './find-category.js';
import { filledCategories, heldItem } from './held-items.js';

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
    refuseItem(category, await heldItem(trx, category));
    if (category.tree === 'PRIMARY') {
      await refuseWhileJobPending(trx, siteId, ['item'], `Deleting "${category.name}"`);
      // A job that has ended since the first look may have filled it.
      refuseItem(category, await heldItem(trx, category));
      await bumpDefinitions(trx, siteId);
    }
    return { category, outboxEntries: await remove(trx, owner, category) };
  });
}

/**
 * Deletes a category for a job that no other job of the site runs beside, and that has incremented the version of the
 * definitions. The root of the primary tree may be deleted like any other.
 * @param held the SKU of an item that the category holds; undefined: it holds none
 * @param emits whether an event is emitted
 * @returns what to enqueue after the commit
 * @throws DomainError invalid CATEGORY_NOT_EMPTY naming its contents
 */
export async function removeCategory(
  trx: Knex.Transaction,
  owner: Owner,
  category: Category,
  { held, emits }: { readonly held: string | undefined; readonly emits: boolean },
): Promise<OutboxEntry[]> {
  await refuseChildren(trx, category);
  refuseItem(category, held);
  return remove(trx, owner, category, emits);
}

async function remove(trx: Knex.Transaction, owner: Owner, category: Category, emits = true): Promise<OutboxEntry[]> {
  const { siteId } = owner;
  if (category.tree === 'PRIMARY') await filledCategories(trx, siteId).where({ node_id: category.node_id }).delete();
  // Before the category, so that the change log can be undone from its end.
  await trx('category_attribute').where({ category_id: category.id }).delete();
  await Category.query(trx).deleteById(category.id);
  return emits ? emitDeletion(trx, owner, category) : [];
}

async function emitDeletion(
  trx: Knex.Transaction,
  owner: Owner,
  { id, node_id, name, tree }: Category,
): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw(IS_ANY_SUBSCRIBED, { siteId: owner.siteId });
  if (!rows[0].is_any_subscribed) return [];
  const event = SUBSCRIBERS.event('CATEGORY_DELETED', { id, nodeId: node_id, name, type: tree }, owner);
  return (await emitEvents(trx, owner, [event])).outboxEntries;
}

async function refuseChildren(trx: Knex.Transaction, category: Category): Promise<void> {
  const children = Category.query(trx).where({ parent_id: category.id });
  const [first] = await children.clone().orderBy(['sort_order', 'node_id']).limit(1);
  if (first === undefined) return;
  const count = await children.resultSize();
  const held = count === 1 ? `a child, "${first.name}"` : `${count} children, the first of them "${first.name}"`;
  throw notEmpty(category, held, 'Delete or move what is below it first.');
}

function refuseItem(category: Category, sku: string | undefined): void {
  if (sku === undefined) return;
  const advice =
    category.tree === 'PRIMARY' ? 'Give its items another category first.' : 'Remove its items first (UNSET).';
  throw notEmpty(category, `items, "${sku}" among them`, advice);
}

function notEmpty(category: Category, held: string, advice: string): DomainError {
  const message = `Category "${category.name}" (node id ${category.node_id}) has ${held}: only an empty one can be deleted. ${advice}`;
  return new DomainError('invalid', 'CATEGORY_NOT_EMPTY', message);
}
