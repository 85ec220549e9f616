/** Exports categories to a file that a category import reads: parents first, with the attributes that each assigns. */
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryAttribute } from '../../../../db/models/category-attribute.js';
import { CATEGORY_COLUMNS } from '../../catalog/categories/category-columns.js';
import type { CellAssignment } from '../../catalog/categories/item-attributes-cell.js';
import { categoryToCells, categoryToElement, type WrittenCategory } from '../../catalog/categories/write-category.js';
import { writtenFormat } from '../model/export-format.js';
import type { CategoryMatch, ExportFormatting } from '../model/export-spec.js';
import type { LinesBody, RecordsBody } from '../write/export-body.js';
import { whereChanged } from '../write/where-changed.js';

/** @param date exports only categories changed up to this instant; null: all */
export async function categoryExport(
  trx: Db,
  siteId: number,
  date: string | null,
  match: CategoryMatch,
  formatting: ExportFormatting,
): Promise<LinesBody | RecordsBody> {
  const tree = await CategoryTree.load(trx, siteId);
  const wanted = await matchingIds(trx, siteId, date, match);
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
  for (const { category_id: id, name, mandatory } of rows) {
    const others = assignments.get(id);
    if (others === undefined) assignments.set(id, [{ name, mandatory }]);
    else others.push({ name, mandatory });
  }
  return assignments;
}

/** All categories of a site in display order: an import numbers them so, and siblings of equal order keep theirs. */
class CategoryTree {
  readonly #byId = new Map<string, Category>();
  readonly #children = new Map<string | null, Category[]>();

  static async load(trx: Db, siteId: number): Promise<CategoryTree> {
    const tree = new CategoryTree();
    const rows = await Category.query(trx)
      .where({ site_id: siteId })
      .orderByRaw(`tree = 'PRIMARY' DESC, sort_order, node_id`);
    for (const category of rows) {
      tree.#byId.set(category.id, category);
      const siblings = tree.#children.get(category.parent_id);
      if (siblings === undefined) tree.#children.set(category.parent_id, [category]);
      else siblings.push(category);
    }
    return tree;
  }

  /** Yields each tree depth-first, parents before children. */
  *parentsFirst(date: string | null, parentId: string | null = null): Generator<Category> {
    for (const category of this.#children.get(parentId) ?? []) {
      // A category that the date excludes hides those below it, as in the tree that the API shows.
      if (date !== null && category.updated_at > new Date(date)) continue;
      yield category;
      yield* this.parentsFirst(date, category.id);
    }
  }

  /** The names of a category and its ancestors, from the root down. */
  lineage(category: Category): string[] {
    const names: string[] = [];
    for (let node: Category | undefined = category; node !== undefined; ) {
      names.unshift(node.name);
      node = node.parent_id === null ? undefined : this.#byId.get(node.parent_id);
    }
    return names;
  }
}
