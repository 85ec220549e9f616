/** Reads items: one, or a list, with their values and those that they inherit. */

import type { QueryBuilder } from 'objection';
import { raw } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { BundleItem } from '../../../../db/models/bundle-item.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryItem } from '../../../../db/models/category-item.js';
import type { ItemStatusCode, ItemTypeCode } from '../../../../db/models/item.js';
import { Item } from '../../../../db/models/item.js';
import type { SiteContext } from '../../access/site-context.js';
import { containsPattern } from '../../kernel/contains-text.js';
import { DomainError } from '../../kernel/errors.js';
import { itemRowNo } from '../../kernel/identifier.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import type { AttributeTypeName } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES, isInherited } from '../attribute-types.js';
import { formatPath } from '../categories/category-path.js';
import type { CategoryReference } from '../categories/find-category.js';
import { findCategory } from '../categories/find-category.js';
import { loadCategoryDetails, loadLineages } from '../categories/read-categories.js';
import { definitionFromColumns } from '../definition-snapshot.js';
import type { Component } from './bundle-items-cell.js';
import { normalizeSku } from './item-key.js';
import { visibleItems } from './visible-items.js';

// Loads what is shown of items besides their rows: the names for their attribute ids and node ids.

export interface ItemDetail {
  readonly item: Item;
  /** The path of its category, as imports accept it; null without a category. */
  readonly nodePath: string | null;
  /** Values by attribute name, in the order of the attributes' positions. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The names of the values that it inherits from its parent; null when it is not a variant. */
  readonly inherited: readonly string[] | null;
  /** The items of a bundle, in order; null when it is not a bundle. */
  readonly components: readonly Component[] | null;
  /** The values of the attributes that are mapped to `title` and `image`, where the item has them. */
  readonly shown: { readonly title?: unknown; readonly image?: unknown };
}

/** The details of items of one site, in the given order. The number of queries is constant. */
async function loadItemDetails(db: Db, siteId: number, items: readonly Item[]): Promise<ItemDetail[]> {
  if (items.length === 0) return [];
  const inheritedBy = await loadInheritedValues(db, siteId, items);
  const inherited = items.map(inheritedBy);
  const values = items.map((item, index) => ({ ...inherited[index], ...item.attributes }));
  const componentsOf = await loadComponents(db, siteId, items);
  const attributeIds = new Set(values.flatMap(Object.keys));
  const attributes = await Attribute.query(db)
    .where({ site_id: siteId })
    .whereIn('id', [...attributeIds])
    .orderBy(['position', 'id'])
    .select('id', 'name', 'type');
  const paths = await loadNodePaths(db, siteId, items);
  const mappings = await AttributeMapping.query(db).where({ site_id: siteId }).whereIn('mapping', ['title', 'image']);
  return items.map((item, index) => {
    const own = values[index] ?? {};
    const shown = attributes.filter(({ id }) => id in own);
    const ofParent = inherited[index] ?? {};
    return {
      item,
      nodePath: item.node_id === null ? null : (paths.get(item.node_id) ?? null),
      values: Object.fromEntries(shown.map(({ id, name, type }) => [name, shownValue(type, own[id])])),
      inherited: item.parent_sku === null ? null : shown.flatMap(({ id, name }) => (id in ofParent ? [name] : [])),
      components: item.type === 'B' ? (componentsOf.get(item.sku) ?? []) : null,
      shown: Object.fromEntries(
        mappings
          .filter(({ attribute_id }) => attribute_id in own)
          .map(({ mapping, attribute_id }) => [mapping, own[attribute_id]]),
      ),
    };
  });
}

/** A value as it is shown: whatever form it is stored in, all values of a type have one. */
function shownValue(type: string, stored: unknown): unknown {
  return ATTRIBUTE_TYPES[type as AttributeTypeName].jsonForm === 'quoted' ? String(stored) : stored;
}

async function loadComponents(db: Db, siteId: number, items: readonly Item[]): Promise<Map<string, Component[]>> {
  const bundles = items.flatMap(({ type, sku }) => (type === 'B' ? [sku] : []));
  const components = new Map<string, Component[]>(bundles.map((sku) => [sku, []]));
  if (bundles.length === 0) return components;
  const rows = await BundleItem.query(db)
    .where({ site_id: siteId })
    .whereIn('bundle_sku', bundles)
    .orderBy(['bundle_sku', 'position']);
  for (const { bundle_sku, sku, quantity } of rows) components.get(bundle_sku)?.push({ sku, quantity });
  return components;
}

async function loadNodePaths(db: Db, siteId: number, items: readonly Item[]): Promise<Map<number, string>> {
  const nodeIds = [...new Set(items.flatMap(({ node_id }) => (node_id === null ? [] : [node_id])))];
  const categories = await Category.query(db).where({ site_id: siteId }).whereIn('node_id', nodeIds);
  const lineages = await loadLineages(db, siteId, categories);
  const pathOf = (lineage: readonly Category[]) => formatPath(lineage.map(({ name }) => name));
  return new Map(categories.map(({ node_id }, index) => [node_id, pathOf(lineages[index] ?? [])]));
}

// The values that variants inherit from their parents.

type Values = Readonly<Record<string, unknown>>;

const NONE: Values = {};

/**
 * Returns a function for the values that an item inherits from its parent, by attribute id: those of inheritable
 * attributes that the item's category has and for which the item has no value itself. The number of queries is
 * constant, and zero without variants.
 */
async function loadInheritedValues(db: Db, siteId: number, items: readonly Item[]): Promise<(item: Item) => Values> {
  const variants = items.filter(({ parent_sku }) => parent_sku !== null);
  if (variants.length === 0) return () => NONE;
  const inheritable = await inheritableIds(db, siteId);
  if (inheritable.length === 0) return () => NONE;
  const parents = await Item.query(db)
    .where({ site_id: siteId })
    .whereIn('sku', [...new Set(variants.flatMap(({ parent_sku }) => parent_sku ?? []))])
    .select('sku', 'attributes');
  const valuesOf = new Map(parents.map(({ sku, attributes }) => [sku, attributes]));
  const assigned = await assignedIds(db, siteId, variants);
  return ({ parent_sku, node_id, attributes }) => {
    const values = valuesOf.get(parent_sku ?? '') ?? NONE;
    const own = assigned.get(node_id ?? -1);
    const ids = inheritable.filter((id) => id in values && !(id in attributes) && own?.has(id));
    return Object.fromEntries(ids.map((id) => [id, values[id]]));
  };
}

async function inheritableIds(db: Db, siteId: number): Promise<string[]> {
  const attributes = await Attribute.query(db)
    .where({ site_id: siteId })
    .whereRaw(`definition -> 'validation' -> 'inheritable' = 'true'`);
  const marker = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'isVariant' });
  return attributes
    .filter((row) => isInherited(definitionFromColumns(row), row.id === marker?.attribute_id))
    .map(({ id }) => id);
}

/** Node id → the attributes that its items have. */
async function assignedIds(db: Db, siteId: number, items: readonly Item[]): Promise<Map<number, Set<string>>> {
  const nodeIds = [...new Set(items.flatMap(({ node_id }) => node_id ?? []))];
  const categories = await Category.query(db).where({ site_id: siteId }).whereIn('node_id', nodeIds);
  const details = await loadCategoryDetails(db, siteId, categories);
  return new Map(
    details.map(({ category, attributes }) => [category.node_id, new Set(attributes.map(({ id }) => id))]),
  );
}

// Reads one item by its SKU.

/**
 * The item, if it is visible in the context.
 * @throws DomainError not-found SKU_NOT_FOUND
 */
export async function findItem(db: Db, site: SiteContext, sku: string): Promise<ItemDetail> {
  const item = await visibleItems(db, site).findOne('item.sku', normalizeSku(sku));
  const [detail] = item === undefined ? [] : await loadItemDetails(db, site.siteId, [item]);
  if (detail === undefined) throw new DomainError('not-found', 'SKU_NOT_FOUND', `There is no item "${sku}".`);
  return detail;
}

// Lists the items of a site by SKU, filtered and paged.

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
  if (filter.q !== undefined) await searchText(db, query, site.siteId, filter.q);
  if (filter.category === undefined) return true;
  const category = await findCategory(db, site.siteId, filter.category);
  if (category === undefined) return false;
  withinCategory(db, query, category);
  return true;
}

function rowNumbers(siteId: number, ids: readonly string[]): string[] {
  const rowNos = ids.map((id) => itemRowNo(siteId, id));
  return rowNos.flatMap((rowNo) => (rowNo === null || rowNo > MAX_ROW_NO ? [] : [rowNo.toString()]));
}

async function searchText(db: Db, query: QueryBuilder<Item>, siteId: number, text: string): Promise<void> {
  const pattern = containsPattern(text);
  const title = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'title' });
  query.where((either) => {
    either.where('item.sku', 'ilike', pattern);
    if (title !== undefined) either.orWhereRaw('item.attributes ->> ? ILIKE ?', [title.attribute_id, pattern]);
  });
}

const MAY_HOLD_ITEMS =
  'EXISTS (SELECT 1 FROM filled_category AS filled WHERE filled.site_id = category.site_id AND filled.node_id = category.node_id)';

function withinCategory(db: Db, query: QueryBuilder<Item>, category: Category): void {
  const below = Category.query(db).where({ site_id: category.site_id }).where('path', 'like', `${category.path}%`);
  // If none of these categories has ever held an item, no items of the site are scanned.
  if (category.tree === 'PRIMARY') {
    query.whereIn('item.node_id', below.whereRaw(MAY_HOLD_ITEMS).select('node_id'));
  } else
    query.whereIn('item.sku', CategoryItem.query(db).whereIn('category_id', below.select('id')).select(raw('sku')));
}
