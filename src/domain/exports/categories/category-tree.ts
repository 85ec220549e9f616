/** The trees of the categories of a site, as an export walks through them. */

import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { addTo } from '../../kernel/grouped-by.js';

/** All categories of a site in display order: an import numbers them so, and siblings of equal order keep theirs. */
export class CategoryTree {
  readonly #byId = new Map<string, Category>();
  readonly #children = new Map<string | null, Category[]>();

  static async load(trx: Db, siteId: number): Promise<CategoryTree> {
    const tree = new CategoryTree();
    const rows = await Category.query(trx)
      .where({ site_id: siteId })
      .orderByRaw(`tree = 'PRIMARY' DESC, sort_order, node_id`);
    for (const category of rows) {
      tree.#byId.set(category.id, category);
      addTo(tree.#children, category.parent_id, category);
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

  /** Undefined: it is not there any more. */
  find(id: string): Category | undefined {
    return this.#byId.get(id);
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
