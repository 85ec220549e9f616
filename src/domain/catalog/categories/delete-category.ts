/** Deletes a category in which there is nothing. */
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { DomainError } from '../../kernel/errors.js';
import { refuseWhileJobPending } from '../attributes/pending-job.js';
import { bumpDefinitions, lockDefinitions } from '../definitions-version.js';
import { filledCategories, heldItem } from './category-holdings.js';
import { type CategoryReference, findCategory, nodeNotFound } from './find-category.js';

/**
 * Deletes the category with its assignments of attributes, and answers its last row.
 * @throws DomainError not-found NODE_NOT_FOUND; invalid: NODE_IS_ROOT (the primary one), CATEGORY_NOT_EMPTY naming what
 *   is in it; conflict JOB_PENDING while an item job may be filling it
 */
export async function deleteCategory(db: Db, siteId: number, reference: CategoryReference): Promise<Category> {
  return db.transaction(async (trx) => {
    await lockDefinitions(trx, siteId);
    const found = await findCategory(trx, siteId, reference);
    if (found === undefined) throw nodeNotFound('not-found', reference);
    // Whoever fills an alternate category locks its row.
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
    return category;
  });
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
    category.tree === 'PRIMARY' ? 'Give its items another category first.' : 'Take its items out of it first (UNSET).';
  throw notEmpty(category, `items, "${sku}" among them`, advice);
}

function notEmpty(category: Category, held: string, advice: string): DomainError {
  const message = `Category "${category.name}" (node id ${category.node_id}) has ${held}: only an empty one can be deleted. ${advice}`;
  return new DomainError('invalid', 'CATEGORY_NOT_EMPTY', message);
}
