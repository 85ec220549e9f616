/**
 * Finds a primary category by path, node id or id; made for a million look-ups among tens of thousands of categories.
 */
import { NODE_ID } from '../../catalog/categories/alternate-path.js';
import { categoryKey } from '../../catalog/categories/category-name.js';
import { formatPath, parsePath } from '../../catalog/categories/category-path.js';
import type { DefinitionCategory } from '../../catalog/site-definitions.js';
import { isId } from '../../kernel/identifier.js';
import { CategorySuggestions } from './category-suggestions.js';

/** How many distinct texts are cached: a file repeats a few thousand categories at most. */
const CACHED_TEXTS = 8192;
const MAX_QUOTED_CHARACTERS = 200;

/** How clients create a category, for messages. */
export const HOW_TO_CREATE = 'POST /api-category/v1/category, or a CATEGORY_IMPORT file';

/** An index of the primary tree. Results depend only on the tree and the text. */
export class CategoryIndex {
  readonly #byNodeId = new Map<number, DefinitionCategory>();
  readonly #byId = new Map<string, DefinitionCategory>();
  /** Parent's node id and name key → category. */
  readonly #byName = new Map<string, DefinitionCategory>();
  readonly #resolved = new Map<string, DefinitionCategory | undefined>();
  readonly #root: DefinitionCategory | undefined;
  #suggestions: CategorySuggestions | undefined;

  constructor(readonly categories: readonly DefinitionCategory[]) {
    for (const category of categories) {
      this.#byNodeId.set(category.nodeId, category);
      this.#byId.set(category.id, category);
      if (category.parentNodeId !== null) this.#byName.set(childKey(category.parentNodeId, category.name), category);
    }
    this.#root = categories.find((category) => category.parentNodeId === null);
  }

  byNodeId(nodeId: number): DefinitionCategory | undefined {
    return this.#byNodeId.get(nodeId);
  }

  byId(id: string): DefinitionCategory | undefined {
    return this.#byId.get(id);
  }

  /**
   * Finds a category by its path, such as `PRIMARY->Storage->Disk`. The root is optional, and `\->` stands for a `->`
   * inside a name. Names are compared trimmed, in NFC and ignoring case. A bare name is the path of a top category and
   * nothing else.
   */
  byPath(text: string): DefinitionCategory | undefined {
    const root = this.#root;
    if (root === undefined) return undefined;
    const names = parsePath(text);
    const [first, ...rest] = names;
    if (first !== undefined && categoryKey(first) === categoryKey(root.name)) {
      const fromRoot = this.#descend(root, rest);
      if (fromRoot !== undefined) return fromRoot;
    }
    return this.#descend(root, names);
  }

  /**
   * Finds a category by what a client wrote: a path, a node id in digits, or an id. Digits that are the node id of one
   * category and the name of another are ambiguous and match neither; the path `PRIMARY->2024` is not.
   */
  resolve(text: string): DefinitionCategory | undefined {
    if (this.#resolved.has(text)) return this.#resolved.get(text);
    const category = this.#clash(text) === undefined ? this.#find(text) : undefined;
    if (this.#resolved.size >= CACHED_TEXTS) this.#resolved.clear();
    this.#resolved.set(text, category);
    return category;
  }

  /** Why `resolve` found nothing, and what may have been meant: the message of a NODE_NOT_FOUND. */
  explainMissing(text: string): string {
    const clash = this.#clash(text);
    if (clash !== undefined) {
      const [node, named] = clash.map((category) => `"${this.pathOf(category)}"`);
      return `"${text}" is the node id of ${node} and the name of ${named}: write the path`;
    }
    const meant = this.suggest(text);
    const advice = meant === null ? 'correct it, or' : `did you mean "${meant}"? Otherwise`;
    return `there is no category "${shorten(text)}" in the primary tree: ${advice} create the category first (${HOW_TO_CREATE})`;
  }

  /** The path of the category that was probably meant; null when none is similar. */
  suggest(text: string): string | null {
    this.#suggestions ??= new CategorySuggestions(this.categories);
    const meant = this.#suggestions.guess(this.#withoutRoot(parsePath(text)));
    return meant === undefined ? null : this.pathOf(meant);
  }

  /** The path with its root, as byPath reads it. */
  pathOf(category: DefinitionCategory): string {
    const names: string[] = [];
    for (let node: DefinitionCategory | undefined = category; node !== undefined; ) {
      names.unshift(node.name);
      node = node.parentNodeId === null ? undefined : this.#byNodeId.get(node.parentNodeId);
    }
    return formatPath(names);
  }

  #find(text: string): DefinitionCategory | undefined {
    const trimmed = text.trim();
    const byNumber = NODE_ID.test(trimmed) ? this.#byNodeId.get(Number(trimmed)) : undefined;
    const byId = isId(trimmed) ? this.#byId.get(trimmed) : undefined;
    return byNumber ?? byId ?? this.byPath(text);
  }

  /** The category with that node id and another category with that name, if the text matches both. */
  #clash(text: string): [DefinitionCategory, DefinitionCategory] | undefined {
    const trimmed = text.trim();
    const node = NODE_ID.test(trimmed) ? this.#byNodeId.get(Number(trimmed)) : undefined;
    if (node === undefined) return undefined;
    const named = this.byPath(text);
    return named === undefined || named === node ? undefined : [node, named];
  }

  #descend(from: DefinitionCategory, names: readonly string[]): DefinitionCategory | undefined {
    let node: DefinitionCategory | undefined = from;
    for (const name of names) {
      if (node === undefined) return undefined;
      node = this.#byName.get(childKey(node.nodeId, name));
    }
    return node;
  }

  #withoutRoot(names: string[]): string[] {
    const startsAtRoot = this.#root !== undefined && categoryKey(names[0] ?? '') === categoryKey(this.#root.name);
    return startsAtRoot && names.length > 1 ? names.slice(1) : names;
  }
}

function childKey(parentNodeId: number, name: string): string {
  return `${parentNodeId}/${categoryKey(name)}`;
}

function shorten(text: string): string {
  return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS - 1)}…` : text;
}
