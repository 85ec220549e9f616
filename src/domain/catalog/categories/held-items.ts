/** Finds out whether a category itself holds items. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { Category } from '../../../../db/models/category.js';
import { CategoryItem } from '../../../../db/models/category-item.js';
import { Item } from '../../../../db/models/item.js';

/** The records of categories that may hold items: `node_id`, possibly more than once. */
export function filledCategories(db: Db, siteId: number): Knex.QueryBuilder {
  return db('filled_category').where({ site_id: siteId });
}

/** Whether the category itself holds an item; categories below it do not count. */
export async function holdsItems(db: Db, category: Category): Promise<boolean> {
  return (await heldItem(db, category)) !== undefined;
}

/**
 * The SKU of one of the items that the category itself holds. There is no index of items by category, because it would
 * slow down every import: a primary leaf that once held items and now holds none costs a scan of all items of the site.
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
