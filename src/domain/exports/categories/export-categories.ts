/** Exports categories to a file that a category import reads: parents first, with the attributes that each assigns. */
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryAttribute } from '../../../../db/models/category-attribute.js';
import { CATEGORY_COLUMNS } from '../../catalog/categories/category-columns.js';
import type { CellAssignment } from '../../catalog/categories/item-attributes-cell.js';
import { categoryToCells, categoryToElement, type WrittenCategory } from '../../catalog/categories/write-category.js';
import { categoriesChangedSince } from '../../changes/definitions-since.js';
import type { FeedPlace } from '../../changes/feed-cursor.js';
import { addTo } from '../../kernel/grouped-by.js';
import { writtenFormat } from '../model/export-format.js';
import type { CategoryMatch, ExportFormatting } from '../model/export-spec.js';
import type { LinesBody, RecordsBody } from '../write/export-body.js';
import { whereChanged } from '../write/where-changed.js';
import { withOperation } from '../write/with-operation.js';
import { CategoryTree } from './category-tree.js';
import { leftCategories } from './left-categories.js';

interface CategoryScope {
  readonly siteId: number;
  /** Only categories changed up to this instant; null: all. */
  readonly date: string | null;
  readonly match: CategoryMatch;
  /**
   * Only categories changed after this place in the feed of changes, and those that are gone or left the filter since; none
   * was renamed or moved.
   */
  readonly since?: FeedPlace | undefined;
}

export async function categoryExport(
  trx: Db,
  scope: CategoryScope,
  formatting: ExportFormatting,
): Promise<LinesBody | RecordsBody> {
  const { siteId, date, match, since } = scope;
  const tree = await CategoryTree.load(trx, siteId);
  const matching = await matchingIds(trx, siteId, date, match);
  if (since === undefined) return categoryBody(trx, scope, tree, matching, formatting);
  const changed = await categoriesChangedSince(trx, siteId, since);
  const wanted = new Set(changed.flatMap(({ id }) => (matching.has(id) ? [id] : [])));
  const body = await categoryBody(trx, scope, tree, wanted, formatting);
  return withOperation(body, leftCategories(match, changed, matching, tree));
}

async function categoryBody(
  trx: Db,
  { siteId, date }: CategoryScope,
  tree: CategoryTree,
  wanted: ReadonlySet<string>,
  formatting: ExportFormatting,
): Promise<LinesBody | RecordsBody> {
  const assignments = await loadAssignments(trx, siteId);
  async function* written(): AsyncGenerator<WrittenCategory> {
    for (const category of tree.parentsFirst(date)) {
      if (!wanted.has(category.id)) continue;
      yield {
        lineage: tree.lineage(category),
        tree: category.tree,
        order: category.sort_order,
        active: category.active,
        attributes: assignments.get(category.id) ?? [],
      };
    }
  }
  if (writtenFormat(formatting.format).exports === 'lines') return { lines: lines(written()) };
  return { header: CATEGORY_COLUMNS, records: records(written()) };
}

async function* lines(categories: AsyncIterable<WrittenCategory>): AsyncGenerator<string> {
  for await (const category of categories) yield `${JSON.stringify(categoryToElement(category))}\n`;
}

async function* records(categories: AsyncIterable<WrittenCategory>): AsyncGenerator<string[]> {
  for await (const category of categories) yield categoryToCells(category);
}

async function matchingIds(
  trx: Db,
  siteId: number,
  date: string | null,
  { ids, within, tree, active, createdAt, updatedAt }: CategoryMatch,
): Promise<Set<string>> {
  const query = Category.query(trx).where({ site_id: siteId }).select('id');
  whereChanged(query, { date, createdAt, updatedAt });
  if (ids !== undefined) query.whereIn('id', [...ids]);
  if (tree !== undefined) query.where({ tree });
  if (active !== undefined) query.where({ active });
  if (within !== undefined) {
    const tops = await Category.query(trx)
      .where({ site_id: siteId })
      .whereIn('id', [...within])
      .select('path');
    query.where((any) => {
      any.whereRaw('false');
      for (const { path } of tops) any.orWhere('path', 'like', `${path}%`);
    });
  }
  return new Set((await query).map(({ id }) => id));
}

/** @returns category id → the attributes that the category itself assigns, in order */
async function loadAssignments(trx: Db, siteId: number): Promise<Map<string, CellAssignment[]>> {
  const rows: { category_id: string; mandatory: boolean; name: string }[] = await CategoryAttribute.query(trx)
    .alias('own')
    .joinRaw('JOIN attribute ON attribute.id = own.attribute_id')
    .where('attribute.site_id', siteId)
    .orderBy(['own.category_id', 'own.position', 'own.attribute_id'])
    .select('own.category_id', 'own.mandatory', 'attribute.name')
    .castTo();
  const assignments = new Map<string, CellAssignment[]>();
  for (const { category_id: id, name, mandatory } of rows) addTo(assignments, id, { name, mandatory });
  return assignments;
}
