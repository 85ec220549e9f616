/** Loads whole trees of categories, or the part of a tree below a category. */
import type { Db } from '../../../../db/connection.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import type { SiteContext } from '../../access/site-context.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';

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
