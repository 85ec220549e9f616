/** Reads categories: in lists, as trees, and with their attributes. */

import type { QueryBuilder } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import type { CategoryTree } from '../../../../db/models/category.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryAttribute } from '../../../../db/models/category-attribute.js';
import type { SiteContext } from '../../access/site-context.js';
import { containsPattern } from '../../kernel/contains-text.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import type { AssignedAttribute, OwnAssignment } from '../site-definitions.js';
import { AssignmentInheritance } from '../site-definitions.js';
import { MAX_NODE_ID } from './find-category.js';

// Loads what is shown of categories besides their rows: attributes, children and lineage.

/** An attribute as a category has it. */
export interface CategoryAttributeDetail {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Mandatory for items of the category. */
  readonly required: boolean;
  readonly inherited: boolean;
}

export interface CategoryDetail {
  readonly category: Category;
  readonly attributes: readonly CategoryAttributeDetail[];
  /** Its children, in their order. */
  readonly children: readonly Category[];
  /** From the root to the category itself. */
  readonly lineage: readonly Category[];
}

/** The details of categories of one site, in the given order. The number of queries is constant. */
export async function loadCategoryDetails(
  db: Db,
  siteId: number,
  categories: readonly Category[],
): Promise<CategoryDetail[]> {
  const [children, lineages] = await Promise.all([loadChildren(db, categories), loadLineages(db, siteId, categories)]);
  const attributesOf = await loadAttributes(db, lineages);
  return categories.map((category, index) => {
    const lineage = lineages[index] ?? [];
    return { category, lineage, attributes: attributesOf(lineage), children: children.get(category.id) ?? [] };
  });
}

/** For each given category, the categories from the root to the category itself. */
export async function loadLineages(
  db: Db,
  siteId: number,
  categories: readonly Category[],
): Promise<readonly Category[][]> {
  const paths = categories.map(({ path }) =>
    path
      .split('/')
      .filter((part) => part !== '')
      .map(Number),
  );
  const byNodeId = new Map(categories.map((category) => [category.node_id, category]));
  const others = [...new Set(paths.flat())].filter((nodeId) => !byNodeId.has(nodeId));
  if (others.length > 0) {
    const rows = await Category.query(db).where({ site_id: siteId }).whereRaw('node_id = ANY (?)', [others]);
    for (const row of rows) byNodeId.set(row.node_id, row);
  }
  return paths.map((path) => path.map((nodeId) => byNodeId.get(nodeId)).filter((row) => row !== undefined));
}

async function loadChildren(db: Db, categories: readonly Category[]): Promise<Map<string, Category[]>> {
  const ids = categories.map(({ id }) => id);
  const rows = await Category.query(db).whereIn('parent_id', ids).orderBy(['sort_order', 'node_id']);
  const children = new Map<string, Category[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent_id ?? '');
    if (siblings === undefined) children.set(row.parent_id ?? '', [row]);
    else siblings.push(row);
  }
  return children;
}

async function loadAttributes(
  db: Db,
  lineages: readonly Category[][],
): Promise<(lineage: readonly Category[]) => CategoryAttributeDetail[]> {
  const categoryIds = [...new Set(lineages.flat().map(({ id }) => id))];
  const assignments = await CategoryAttribute.query(db)
    .whereIn('category_id', categoryIds)
    .orderBy(['position', 'attribute_id']);
  const attributeIds = [...new Set(assignments.map((assignment) => assignment.attribute_id))];
  const attributes =
    attributeIds.length === 0 ? [] : await Attribute.query(db).findByIds(attributeIds).select('id', 'name', 'type');
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  const own = new Map<string, OwnAssignment[]>();
  for (const { category_id, attribute_id, mandatory } of assignments) {
    own.set(category_id, [...(own.get(category_id) ?? []), { attributeId: attribute_id, mandatory }]);
  }
  const inheritance = new AssignmentInheritance();
  return (lineage) => {
    let assigned: readonly AssignedAttribute[] | undefined;
    for (const category of lineage) assigned = inheritance.attributesOf(assigned, own.get(category.id) ?? []);
    return (assigned ?? []).flatMap(({ attributeId, mandatory, inherited }) => {
      const attribute = byId.get(attributeId);
      if (attribute === undefined) return [];
      return [{ id: attributeId, name: attribute.name, type: attribute.type, required: mandatory, inherited }];
    });
  };
}

// Lists the categories of a site, filtered and paged.

interface CategoryFilter {
  readonly ids?: readonly string[] | undefined;
  readonly nodeIds?: readonly number[] | undefined;
  /** A part of the name, in any case. */
  readonly keyword?: string | undefined;
  readonly tree?: CategoryTree | undefined;
  readonly active?: boolean | undefined;
}

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
  if (filter.keyword !== undefined) query.where('name', 'ilike', containsPattern(filter.keyword));
  if (filter.tree !== undefined) query.where('tree', filter.tree);
  if (filter.active !== undefined) query.where('active', filter.active);
}

// Loads whole trees of categories, or the part of a tree below a category.

/** What is shown of a category in a tree. */
type TreeCategory = Pick<Category, 'id' | 'node_id' | 'parent_id' | 'tree' | 'name' | 'path' | 'sort_order' | 'active'>;

export interface CategoryTreeNode {
  readonly category: TreeCategory;
  /** The children in their order. */
  readonly children: CategoryTreeNode[];
}

/** One page of the trees of a site, the primary tree first. */
export async function loadTrees(
  db: Db,
  site: SiteContext,
  tree: CategoryTree | undefined,
  page: PageRequest,
): Promise<Page<CategoryTreeNode>> {
  const roots = Category.query(db).where({ site_id: site.siteId }).whereNull('parent_id');
  if (tree !== undefined) roots.where('tree', tree);
  if (site.date !== null) roots.where('updated_at', '<', pastInstant(site.date));
  const [count, rows] = await Promise.all([
    roots.clone().resultSize(),
    roots.orderByRaw("tree = 'PRIMARY' DESC, sort_order, node_id").offset(page.offset).limit(page.limit),
  ]);
  return { rows: await withDescendants(db, site, rows), count };
}

/** The category with all categories below it. */
export async function loadSubtree(db: Db, site: SiteContext, category: Category): Promise<CategoryTreeNode[]> {
  return withDescendants(db, site, [category]);
}

/** A category that `date` hides also hides all categories below it. */
async function withDescendants(db: Db, site: SiteContext, tops: readonly TreeCategory[]): Promise<CategoryTreeNode[]> {
  const nodes = new Map(tops.map((category) => [category.id, { category, children: [] } as CategoryTreeNode]));
  // Plain rows are read because tens of thousands of models would cost more than all the rest.
  const below = db<TreeCategory & Pick<Category, 'site_id' | 'depth' | 'updated_at'>>('category')
    .where({ site_id: site.siteId })
    .where((query) => {
      query.whereRaw('false');
      for (const top of tops) query.orWhere('path', 'like', `${top.path}_%`);
    })
    .orderBy(['depth', 'sort_order', 'node_id'])
    .select('id', 'node_id', 'parent_id', 'tree', 'name', 'path', 'sort_order', 'active');
  if (site.date !== null) below.where('updated_at', '<', pastInstant(site.date));
  for (const category of await below) {
    const parent = nodes.get(category.parent_id ?? '');
    if (parent === undefined) continue;
    const node: CategoryTreeNode = { category, children: [] };
    parent.children.push(node);
    nodes.set(category.id, node);
  }
  return tops.flatMap(({ id }) => nodes.get(id) ?? []);
}

// Lists the attributes that a category has, or those that it lacks.

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
