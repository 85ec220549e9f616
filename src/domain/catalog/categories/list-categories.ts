/** Lists the categories of a site, filtered and paged. */
import type { QueryBuilder } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import type { SiteContext } from '../../access/site-context.js';
import { containsPatterns } from '../../kernel/contains-text.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import { type CategoryDetail, loadCategoryDetails } from './category-details.js';
import { MAX_NODE_ID } from './find-category.js';

interface CategoryFilter {
  readonly ids?: readonly string[] | undefined;
  readonly nodeIds?: readonly number[] | undefined;
  /** A part of the name, in any case. */
  readonly keyword?: string | undefined;
  readonly tree?: CategoryTree | undefined;
  readonly active?: boolean | undefined;
  /** Only those that hold this item. */
  readonly sku?: string | undefined;
}

/** The categories of an item that the context can see. */
const OF_ITEM = `
  SELECT category_item.category_id FROM item
  JOIN category_item ON category_item.site_id = item.site_id AND category_item.sku = item.sku
  WHERE item.site_id = :siteId AND item.sku = :sku
    AND (CAST(:channel AS integer) IS NULL OR item.channels IS NULL OR :channel = ANY (item.channels))
  UNION ALL
  SELECT own.id FROM item JOIN category AS own ON own.site_id = item.site_id AND own.node_id = item.node_id
  WHERE item.site_id = :siteId AND item.sku = :sku
    AND (CAST(:channel AS integer) IS NULL OR item.channels IS NULL OR :channel = ANY (item.channels))`;

/** One page in the order of node ids. With a `date`, only categories that were not changed after it. */
export async function listCategories(
  db: Db,
  site: SiteContext,
  filter: CategoryFilter,
  page: PageRequest,
): Promise<Page<CategoryDetail>> {
  const matching = Category.query(db).where({ site_id: site.siteId });
  applyFilter(matching, site, filter);
  const [count, rows] = await Promise.all([
    matching.clone().resultSize(),
    matching.orderBy('node_id').offset(page.offset).limit(page.limit),
  ]);
  const details = await loadCategoryDetails(db, site.siteId, rows);
  const { date } = site;
  if (date === null) return { rows: details, count };
  const visible = details.map((detail) => ({
    ...detail,
    children: detail.children.filter((child) => child.updated_at <= date),
  }));
  return { rows: visible, count };
}

function applyFilter(query: QueryBuilder<Category>, site: SiteContext, filter: CategoryFilter): void {
  if (site.date !== null) query.where('updated_at', '<', pastInstant(site.date));
  if (filter.ids !== undefined) query.whereIn('id', [...filter.ids]);
  if (filter.nodeIds !== undefined) {
    query.whereIn(
      'node_id',
      filter.nodeIds.filter((nodeId) => nodeId <= MAX_NODE_ID),
    );
  }
  if (filter.keyword !== undefined) query.whereRaw('name ILIKE ANY(?)', [containsPatterns(filter.keyword)]);
  if (filter.tree !== undefined) query.where('tree', filter.tree);
  if (filter.active !== undefined) query.where('active', filter.active);
  if (filter.sku !== undefined) {
    const { siteId, channel } = site;
    query.whereRaw(`category.id IN (${OF_ITEM})`, { siteId, sku: filter.sku, channel });
  }
}
