/** Whether items lie in a category itself. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { Category } from '../../../../db/models/category.js';
import { CategoryItem } from '../../../../db/models/category-item.js';
import { Item } from '../../../../db/models/item.js';

/** The notes of categories in which items may lie: `node_id`, perhaps twice. */
export function filledCategories(db: Db, siteId: number): Knex.QueryBuilder {
  return db('filled_category').where({ site_id: siteId });
}

/** Whether any item lies in the category itself, not below it. */
export async function holdsItems(db: Db, category: Category): Promise<boolean> {
  return (await heldItem(db, category)) !== undefined;
}

/**
 * The SKU of one of the items that lie in the category itself. Items carry no index by category, because it would slow
 * every import down: a primary leaf that once held items, and now holds none, costs a look at all items of the site.
 */
export async function heldItem(db: Db, category: Category): Promise<string | undefined> {
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
