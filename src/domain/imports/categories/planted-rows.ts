/** The rows of one input at their places: as little of each as can be kept, for all of them are in memory at once. */
import type { CategoryInput, CategoryPlace } from '../../catalog/categories/category-input.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { CategoryForest, type ForestNode } from './category-forest.js';
import { type NamedPlace, namedPlace } from './locate-categories.js';
import type { ReadCategory } from './read-category.js';

type ByParent = Extract<CategoryPlace, { parent: unknown }>;

/** What a row says of its category, place apart. */
export type CategoryFields = Pick<CategoryInput, 'order' | 'active' | 'attributes'>;

export interface PlantedRow {
  readonly row: number;
  /** Null: it cannot be applied, for `problems`. */
  readonly fields: CategoryFields | null;
  readonly problems: readonly RowProblem[];
  /** How the row calls its category, if it is not told by its node. */
  readonly key: string | null;
  /** The name as the row writes it. */
  readonly name: string | undefined;
  /** Null while the parent that it names by an id is not looked up. */
  readonly node: ForestNode | null;
  readonly byParent: ByParent | null;
}

const NO_PROBLEMS: readonly RowProblem[] = [];

export class PlantedRows {
  readonly forest = new CategoryForest();
  readonly rows: PlantedRow[] = [];

  add({ row, key, outcome }: ReadCategory): void {
    if (!('place' in outcome)) {
      this.rows.push({ row, fields: null, problems: outcome, key, name: undefined, node: null, byParent: null });
      return;
    }
    const { place, order, active, attributes } = outcome;
    const fields = { order, active, attributes };
    const problems = NO_PROBLEMS;
    // Every member is written out: what is spread into an object gives each a hidden class of its own, as large as itself.
    if ('parent' in place) {
      this.rows.push({ row, fields, problems, key, name: place.name, node: null, byParent: place });
    } else {
      const node = this.forest.plant(place.tree, place.names);
      this.rows.push({ row, fields, problems, key: null, name: place.names.at(-1), node, byParent: null });
    }
  }

  /** How a row calls its category. */
  keyOf({ key, node }: PlantedRow): string | null {
    return key ?? node?.path ?? null;
  }

  /**
   * Settles which row of each category counts.
   * @param parents places of the categories that rows name as parents by their ids
   * @returns the rows that lose to another (index → their common node), and those whose parent is not there
   */
  settle(
    stands: 'first' | 'last',
    parents: ReadonlyMap<string, NamedPlace>,
  ): { losers: Map<number, ForestNode>; orphans: number[] } {
    this.forest.forget();
    const losers = new Map<number, ForestNode>();
    const orphans: number[] = [];
    for (const [index, row] of this.rows.entries()) {
      if (row.fields === null) continue;
      const node = row.node ?? this.#nodeBelow(row.byParent, parents);
      if (node === undefined) {
        orphans.push(index);
      } else if (node.standing >= 0 && stands === 'first') {
        losers.set(index, node);
      } else {
        if (node.standing >= 0) losers.set(node.standing, node);
        node.standing = index;
        node.name = row.name ?? node.name;
      }
    }
    return { losers, orphans };
  }

  #nodeBelow(place: ByParent | null, parents: ReadonlyMap<string, NamedPlace>): ForestNode | undefined {
    const named = place && namedPlace(place, parents);
    return named ? this.forest.plant(named.tree, named.names) : undefined;
  }
}
