/** Guesses which category a path that matches none was meant to be. */

import { nearestName } from '../../kernel/nearest-name.js';
import type { DefinitionCategory } from '../site-definitions.js';
import { categoryKey } from './category-name.js';

/** Siblings looked at: enough to help, few enough that a million misspelt rows cost little. */
const MAX_CANDIDATES = 200;

/** Guesses depend on the tree and the names alone, so that every worker makes the same. */
export class CategorySuggestions {
  readonly #children = new Map<number, DefinitionCategory[]>();
  readonly #firstOfName = new Map<string, DefinitionCategory>();
  readonly #root: DefinitionCategory | undefined;

  constructor(categories: readonly DefinitionCategory[]) {
    this.#root = categories.find((category) => category.parentNodeId === null);
    for (const category of categories) {
      if (category.parentNodeId === null) continue;
      const siblings = this.#children.get(category.parentNodeId);
      if (siblings === undefined) this.#children.set(category.parentNodeId, [category]);
      else if (siblings.length < MAX_CANDIDATES) siblings.push(category);
      const key = categoryKey(category.name);
      if (!this.#firstOfName.has(key)) this.#firstOfName.set(key, category);
    }
  }

  /**
   * The likeliest category, or undefined when none is near.
   * @param names the path's, without the root's
   */
  guess(names: readonly string[]): DefinitionCategory | undefined {
    return this.#withLastName(names) ?? this.#nearestDescent(names);
  }

  /** Whoever leaves out or mistakes a parent still names the category itself. */
  #withLastName(names: readonly string[]): DefinitionCategory | undefined {
    const last = names.at(-1);
    return last === undefined ? undefined : this.#firstOfName.get(categoryKey(last));
  }

  /** Follows the path, each name standing for the child that is nearest to it. */
  #nearestDescent(names: readonly string[]): DefinitionCategory | undefined {
    let node = this.#root;
    for (const name of names) {
      if (node === undefined) return undefined;
      node = nearestName(name, this.#children.get(node.nodeId) ?? [], (child) => child.name);
    }
    return node === this.#root ? undefined : node;
  }
}
