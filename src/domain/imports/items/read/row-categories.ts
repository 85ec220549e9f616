/** Finds the categories that the rows of a chunk name, and says why one of them cannot have items. */
import type { DefinitionCategory } from '../../../catalog/site-definitions.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { HOW_TO_CREATE } from '../category-index.js';
import type { ItemRules } from '../item-rules.js';

/** Longer category paths are not cached: they are rare, and a malicious input could fill the memory with them. */
const MAX_REMEMBERED_CHARACTERS = 1_000;

/** The rows of one chunk share it. */
export class RowCategories {
  /** The categories found so far, by the text with which the rows name them. */
  readonly #found = new Map<string, DefinitionCategory>();

  constructor(readonly rules: ItemRules) {}

  /** @returns the node id of the category with that name or path, or why no item can be in it */
  named(text: string, column: string): number | RowProblem {
    const category = this.#categoryOf(text);
    if (category !== undefined) return this.#ofItems(category.nodeId, column);
    const message = this.rules.categories.explainMissing(text);
    return { code: 'NODE_NOT_FOUND', column, message, value: text.slice(0, 200) };
  }

  /** @returns the node id, or why no item can be in its category */
  withNodeId(nodeId: number, column: string): number | RowProblem {
    if (this.rules.categories.byNodeId(nodeId) !== undefined) return this.#ofItems(nodeId, column);
    const message = `there is no category with the node id ${nodeId} in the primary tree; GET /api-category/v1/category lists them: correct it, or create the category first (${HOW_TO_CREATE})`;
    return { code: 'NODE_NOT_FOUND', column, message, value: String(nodeId) };
  }

  #ofItems(nodeId: number, column: string): number | RowProblem {
    const rules = this.rules.ofCategory(nodeId);
    if (rules === undefined || rules.category.leaf) return nodeId;
    const message = `items belong to categories without subcategories; "${rules.path}" has some, or is the root: name a category below it`;
    return { code: 'NODE_NOT_LEAF', column, message, value: rules.path };
  }

  /**
   * A cell is a slice of its chunk's text. Caching it for longer than the chunk would keep the whole text in memory.
   */
  #categoryOf(text: string): DefinitionCategory | undefined {
    const seen = this.#found.get(text);
    if (seen !== undefined) return seen;
    const { categories } = this.rules;
    const found = text.length > MAX_REMEMBERED_CHARACTERS ? categories.byPath(text) : categories.resolve(copyOf(text));
    if (found !== undefined) this.#found.set(text, found);
    return found;
  }
}

/** Copies a text, so that it does not share memory with a longer one. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
