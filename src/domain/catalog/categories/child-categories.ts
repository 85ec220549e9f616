/** Lists the categories directly below a category, or the roots of trees: one page of one level, however large the trees are. */
import type { Db } from '../../../../db/connection.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import type { SiteContext } from '../../access/site-context.js';
import type { Page, PageRequest } from '../../kernel/paging.js';
import { pastInstant } from '../../kernel/past-instant.js';
import { loadLineages } from './lineages.js';

export interface ChildCategory {
  readonly category: Category;
  /** How many categories are directly below it. */
  readonly children: number;
}

/** A category with its place in its tree. */
export interface PlacedCategory extends ChildCategory {
  /** How many categories are below it, on all levels. */
  readonly below: number;
  /** From the root to the category itself. */
  readonly lineage: readonly Category[];
}

/** @param parent null: the roots, the primary tree first */
export async function listChildCategories(
  db: Db,
  site: SiteContext,
  parent: Category | null,
  tree: CategoryTree | undefined,
  { offset, limit }: PageRequest,
): Promise<Page<ChildCategory>> {
  const matching = visible(db, site);
  if (parent === null) matching.whereNull('parent_id');
  else matching.where({ parent_id: parent.id });
  if (tree !== undefined) matching.where({ tree });
  const [count, rows] = await Promise.all([
    matching.clone().resultSize(),
    matching.orderByRaw("tree = 'PRIMARY' DESC, sort_order, node_id").offset(offset).limit(limit),
  ]);
  return { rows: await withCounts(db, site, rows), count };
}

/** A category with its path, and with what is below it, of which only the number is read. */
export async function placeOf(db: Db, site: SiteContext, category: Category): Promise<PlacedCategory> {
  const [below, [counted], [lineage = []]] = await Promise.all([
    visible(db, site).where('path', 'like', `${category.path}_%`).resultSize(),
    withCounts(db, site, [category]),
    loadLineages(db, site.siteId, [category]),
  ]);
  return { category, children: counted?.children ?? 0, below, lineage };
}

function visible(db: Db, { siteId, date }: SiteContext) {
  const query = Category.query(db).where({ site_id: siteId });
  return date === null ? query : query.where('updated_at', '<', pastInstant(date));
}

async function withCounts(db: Db, site: SiteContext, rows: readonly Category[]): Promise<ChildCategory[]> {
  const counts = await visible(db, site)
    .whereIn(
      'parent_id',
      rows.map(({ id }) => id),
    )
    .groupBy('parent_id')
    .select('parent_id', db.raw('count(*)::integer AS children'))
    .castTo<{ parent_id: string; children: number }[]>();
  const byParent = new Map(counts.map(({ parent_id, children }) => [parent_id, children]));
  return rows.map((category) => ({ category, children: byParent.get(category.id) ?? 0 }));
}
