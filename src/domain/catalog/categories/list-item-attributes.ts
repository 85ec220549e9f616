/** Lists the attributes that a category has, or those that it lacks. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import type { Category } from '../../../../db/models/category.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { type CategoryAttributeDetail, loadCategoryDetails } from './category-details.js';

/**
 * Assigned attributes are listed with inherited ones first; unassigned ones are all others of the site, by position.
 */
export async function listItemAttributes(
  db: Db,
  category: Category,
  status: 'ASSIGNED' | 'UNASSIGNED',
  { offset, limit }: PageRequest,
): Promise<Page<CategoryAttributeDetail>> {
  const [detail] = await loadCategoryDetails(db, category.site_id, [category]);
  const assigned = detail?.attributes ?? [];
  if (status === 'ASSIGNED') return { rows: assigned.slice(offset, offset + limit), count: assigned.length };
  const others = Attribute.query(db)
    .where({ site_id: category.site_id })
    .whereNotIn(
      'id',
      assigned.map(({ id }) => id),
    );
  const [count, rows] = await Promise.all([
    others.clone().resultSize(),
    others.orderBy(['position', 'id']).offset(offset).limit(limit),
  ]);
  return { rows: rows.map(({ id, name, type }) => ({ id, name, type, required: false, inherited: false })), count };
}
