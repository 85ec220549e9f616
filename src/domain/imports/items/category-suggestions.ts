/** Guesses which category was meant by a path that matches none. */
import { categoryKey } from '../../catalog/categories/category-name.js';
import type { DefinitionCategory } from '../../catalog/site-definitions.js';
import { nearestName } from '../../kernel/nearest-name.js';

/** How many siblings are compared: enough to help, and few enough that a million misspelt rows cost little. */
const MAX_CANDIDATES = 200;

/** Guesses depend only on the tree and the names, so that every worker makes the same guess. */
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
   * The likeliest category, or undefined when none is similar.
   * @param names the names of the path, without the root
   */
  guess(names: readonly string[]): DefinitionCategory | undefined {
    return this.#withLastName(names) ?? this.#nearestDescent(names);
  }

  /** A path with a missing or wrong parent still names the category itself. */
  #withLastName(names: readonly string[]): DefinitionCategory | undefined {
    const last = names.at(-1);
    return last === undefined ? undefined : this.#firstOfName.get(categoryKey(last));
  }

  /** Follows the path; each name selects the child with the most similar name. */
  #nearestDescent(names: readonly string[]): DefinitionCategory | undefined {
    let node = this.#root;
    for (const name of names) {
      if (node === undefined) return undefined;
      node = nearestName(name, this.#children.get(node.nodeId) ?? [], (child) => child.name);
    }
    return node === this.#root ? undefined : node;
  }
}
