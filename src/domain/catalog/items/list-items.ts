/** Lists the items of a site by SKU, filtered and paged. */
import { type QueryBuilder, raw } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { BundleItem } from '../../../../db/models/bundle-item.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryItem } from '../../../../db/models/category-item.js';
import type { Item, ItemStatusCode, ItemTypeCode } from '../../../../db/models/item.js';
import type { SiteContext } from '../../access/site-context.js';
import { containsPatterns } from '../../kernel/contains-text.js';
import { itemRowNo } from '../../kernel/identifier.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import { type CategoryReference, findCategory } from '../categories/find-category.js';
import { type ItemDetail, loadItemDetails } from './item-details.js';
import { normalizeSku } from './item-key.js';
import { visibleItems } from './visible-items.js';

interface ItemFilter {
  readonly skus?: readonly string[] | undefined;
  /** Item ids; the id of another site's item matches nothing. */
  readonly ids?: readonly string[] | undefined;
  /** Items of the category and of those below it, in either kind of tree. */
  readonly category?: CategoryReference | undefined;
  readonly status?: ItemStatusCode | undefined;
  readonly type?: ItemTypeCode | undefined;
  /** A part of the SKU or of the title, in any case. */
  readonly q?: string | undefined;
  /** The variants of this item. */
  readonly parentSku?: string | undefined;
  /** The bundles that contain this item. */
  readonly partSku?: string | undefined;
}

interface ItemPageRequest extends PageRequest {
  /** Only items whose SKU comes after this one. */
  readonly after?: string | undefined;
}

interface ItemPage extends Page<ItemDetail> {
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** The largest bigint of Postgres. */
const MAX_ROW_NO = 2n ** 63n - 1n;

/**
 * One page in the byte order of SKUs; with a `date`, only items that were not changed after it. Paging by `after` skips and repeats nothing, whatever is written meanwhile.
 * `count` is the number of all items that match, not only of those after `after`.
 */
export async function listItems(
  db: Db,
  site: SiteContext,
  filter: ItemFilter,
  { after, offset, limit }: ItemPageRequest,
): Promise<ItemPage> {
  const matching = visibleItems(db, site);
  if (site.date !== null) matching.where('item.updated_at', '<', pastInstant(site.date));
  const possible = await applyFilter(db, matching, site, filter);
  if (!possible) return { rows: [], count: 0, next: null };
  const fromHere = matching.clone();
  if (after !== undefined) fromHere.where('item.sku', '>', normalizeSku(after));
  const [count, found] = await Promise.all([
    matching.resultSize(),
    fromHere
      .orderBy('item.sku')
      .offset(offset)
      .limit(limit + 1),
  ]);
  const rows = found.slice(0, limit);
  const next = found.length > limit ? (rows.at(-1)?.sku ?? null) : null;
  return { rows: await loadItemDetails(db, site.siteId, rows), count, next };
}

/** Adds the filter to the query; returns false when nothing can match. */
async function applyFilter(db: Db, query: QueryBuilder<Item>, site: SiteContext, filter: ItemFilter): Promise<boolean> {
  if (filter.skus !== undefined) query.whereIn('item.sku', filter.skus.map(normalizeSku));
  if (filter.ids !== undefined) query.whereIn('item.row_no', rowNumbers(site.siteId, filter.ids));
  if (filter.status !== undefined) query.where('item.status', filter.status);
  if (filter.type !== undefined) query.where('item.type', filter.type);
  if (filter.parentSku !== undefined) query.where('item.parent_sku', normalizeSku(filter.parentSku));
  if (filter.partSku !== undefined) {
    const containing = BundleItem.query(db).where({ site_id: site.siteId, sku: normalizeSku(filter.partSku) });
    query.whereIn('item.sku', containing.select('bundle_sku'));
  }
  if (filter.q !== undefined) await searchText(db, query, site.siteId, filter.q);
  if (filter.category === undefined) return true;
  const category = await findCategory(db, site.siteId, filter.category);
  if (category === undefined) return false;
  return withinCategory(db, query, category);
}

function rowNumbers(siteId: number, ids: readonly string[]): string[] {
  const rowNos = ids.map((id) => itemRowNo(siteId, id));
  return rowNos.flatMap((rowNo) => (rowNo === null || rowNo > MAX_ROW_NO ? [] : [rowNo.toString()]));
}

async function searchText(db: Db, query: QueryBuilder<Item>, siteId: number, text: string): Promise<void> {
  const patterns = containsPatterns(text);
  const title = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'title' });
  query.where((either) => {
    // SKUs are in the order of bytes, in which only the letters from A to Z have another case.
    either.whereRaw('item.sku COLLATE "default" ILIKE ANY(?)', [patterns]);
    if (title !== undefined) either.orWhereRaw('item.attributes ->> ? ILIKE ANY(?)', [title.attribute_id, patterns]);
  });
}

// By the key of each category: joined, their lists are compared row by row.
const MAY_HOLD_ITEMS =
  'EXISTS (SELECT 1 FROM filled_category AS filled WHERE filled.site_id = category.site_id AND filled.node_id = category.node_id OFFSET 0)';

/** @returns whether there may be any: of a category that never held an item, no items of the site are scanned */
async function withinCategory(db: Db, query: QueryBuilder<Item>, category: Category): Promise<boolean> {
  const below = Category.query(db).where({ site_id: category.site_id }).where('path', 'like', `${category.path}%`);
  if (category.tree === 'PRIMARY') {
    // As a list: joined, each item is compared with each category, where Postgres takes the items for few.
    const filled = await below.whereRaw(MAY_HOLD_ITEMS).select('node_id');
    query.whereRaw('item.node_id = ANY(?::integer[])', [filled.map(({ node_id }) => node_id)]);
    return filled.length > 0;
  }
  query.whereIn('item.sku', CategoryItem.query(db).whereIn('category_id', below.select('id')).select(raw('sku')));
  return true;
}
