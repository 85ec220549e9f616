/** The rows of one input. All of them are in memory at once, so that as little as possible is kept of each. */
import type { CategoryInput, CategoryPlace } from '../../catalog/categories/category-input.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { type CategoryNode, CategoryTrees } from './category-trees.js';
import { type NamedPlace, namedPlace } from './locate-trees.js';
import type { ReadCategory } from './read-category.js';

type ByParent = Extract<CategoryPlace, { parent: unknown }>;

/** What a row says about its category, except for its place. */
export type CategoryFields = Pick<CategoryInput, 'order' | 'active' | 'attributes'>;

export interface PlacedRow {
  readonly row: number;
  /** Null: the row does not say which category it is about. */
  readonly fields: CategoryFields | null;
  /** Why the row cannot be applied; none: it may be. */
  readonly problems: readonly RowProblem[];
  /** How the row names its category; null when the path of its node says it. */
  readonly key: string | null;
  /** The name, as the row writes it. */
  readonly name: string | undefined;
  /** Null when the row names its parent by an id, which is looked up later. */
  readonly node: CategoryNode | null;
  readonly byParent: ByParent | null;
}

const NO_PROBLEMS: readonly RowProblem[] = [];

export class PlacedRows {
  readonly trees = new CategoryTrees();
  readonly rows: PlacedRow[] = [];

  add({ row, key, outcome }: ReadCategory): void {
    if (!('place' in outcome)) {
      this.rows.push({ row, fields: null, problems: outcome, key, name: undefined, node: null, byParent: null });
      return;
    }
    const { place, order, active, attributes, problems = NO_PROBLEMS } = outcome;
    const fields = { order, active, attributes };
    // Every member is written out: an object made by spreading gets a hidden class of its own, as large as itself.
    if ('parent' in place) {
      this.rows.push({ row, fields, problems, key, name: place.name, node: null, byParent: place });
    } else {
      const node = this.trees.place(place.tree, place.names);
      this.rows.push({ row, fields, problems, key: null, name: place.names.at(-1), node, byParent: null });
    }
  }

  /** How a row names its category, for messages. */
  keyOf({ key, node }: PlacedRow): string | null {
    return key ?? node?.path ?? null;
  }

  /**
   * Resolves which row of each category wins.
   * @param parents the places of the categories that rows name as parents by their ids
   * @returns the superseded rows (index → the node that they share), the rows whose parent does not exist, and those that
   *   cannot be applied although their place is known (index → their node)
   */
  resolveWinners(
    winning: 'first' | 'last',
    parents: ReadonlyMap<string, NamedPlace>,
  ): { superseded: Map<number, CategoryNode>; orphans: number[]; faulty: Map<number, CategoryNode> } {
    this.trees.reset();
    const superseded = new Map<number, CategoryNode>();
    const orphans: number[] = [];
    const faulty = new Map<number, CategoryNode>();
    for (const [index, row] of this.rows.entries()) {
      if (row.fields === null) continue;
      const node = row.node ?? this.#nodeBelow(row.byParent, parents);
      if (node === undefined) {
        orphans.push(index);
      } else if (row.problems.length > 0) {
        faulty.set(index, node);
        node.faulty = index;
      } else if (node.winner >= 0 && winning === 'first') {
        superseded.set(index, node);
      } else {
        if (node.winner >= 0) superseded.set(node.winner, node);
        node.winner = index;
        node.name = row.name ?? node.name;
      }
    }
    return { superseded, orphans, faulty };
  }

  #nodeBelow(place: ByParent | null, parents: ReadonlyMap<string, NamedPlace>): CategoryNode | undefined {
    const named = place && namedPlace(place, parents);
    return named ? this.trees.place(named.tree, named.names) : undefined;
  }
}
