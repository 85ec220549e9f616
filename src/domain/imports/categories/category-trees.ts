/** The category trees that the rows of one input name: each category once, however many rows mention it. */
import type { CategoryTree } from '../../../../db/models/category.js';
import { categoryKey, PRIMARY_ROOT_NAME } from '../../catalog/categories/category-name.js';
import { formatPath } from '../../catalog/categories/category-path.js';

/** A category as it is stored. */
export interface StoredCategory {
  readonly id: string;
  readonly nodeId: number;
  /** The node ids from the root to it: `/1/5/9/`. */
  readonly path: string;
  readonly order: number;
  readonly active: boolean;
  /** The assignments of the category itself, as assignmentText writes them; empty when they were not looked up. */
  readonly assigned: string;
}

export interface StoredAssignment {
  readonly attributeId: string;
  readonly mandatory: boolean;
}

/** Assignments in order as one text, equal for equal assignments: it uses less memory than the objects. */
export function assignmentText(assignments: readonly StoredAssignment[]): string {
  return assignments.map(({ attributeId, mandatory }) => (mandatory ? `${attributeId}!` : attributeId)).join();
}

export class CategoryNode {
  /** Null: it does not exist, or was not looked up yet. */
  stored: StoredCategory | null = null;
  /** Index of the winning row of the category; -1: no row is about it. */
  winner = -1;
  /** Index of a row of the category that cannot be applied; -1: there is none. */
  faulty = -1;

  constructor(
    readonly parent: CategoryNode | null,
    readonly tree: CategoryTree,
    /** The name as the first row that mentions it writes it, until the category's own row replaces it. */
    public name: string,
    readonly nameKey: string,
    /** Levels below the root. */
    readonly depth: number,
  ) {}

  /** For messages. */
  get path(): string {
    const names: string[] = [];
    for (let node: CategoryNode | null = this; node !== null; node = node.parent) names.unshift(node.name);
    return formatPath(names);
  }
}

export class CategoryTrees {
  /** The nodes by level, in the order in which rows named them. */
  readonly levels: CategoryNode[][] = [];
  readonly #children = new Map<CategoryNode, Map<string, CategoryNode>>();
  readonly #roots = new Map<string, CategoryNode>();

  /** Returns the node of a place, and creates it and its ancestors when needed. @param names as in CategoryPlace */
  place(tree: CategoryTree, names: readonly string[]): CategoryNode {
    const [first = '', ...rest] = names;
    let node = tree === 'PRIMARY' ? this.#root(tree, PRIMARY_ROOT_NAME) : this.#root(tree, first);
    for (const name of tree === 'PRIMARY' ? names : rest) node = this.#child(node, name);
    return node;
  }

  /** Forgets what is stored and which rows win, and keeps the nodes. */
  reset(): void {
    for (const level of this.levels) {
      for (const node of level) {
        node.stored = null;
        node.winner = -1;
        node.faulty = -1;
      }
    }
  }

  /** The root of the primary tree, if a row names a category in it. */
  get primaryRoot(): CategoryNode | undefined {
    return this.levels[0]?.find(({ tree }) => tree === 'PRIMARY');
  }

  #root(tree: CategoryTree, name: string): CategoryNode {
    const nameKey = categoryKey(name);
    const key = `${tree} ${nameKey}`;
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    const root = this.#add(new CategoryNode(null, tree, name, nameKey, 0));
    this.#roots.set(key, root);
    return root;
  }

  #child(parent: CategoryNode, name: string): CategoryNode {
    let children = this.#children.get(parent);
    if (children === undefined) {
      children = new Map();
      this.#children.set(parent, children);
    }
    const nameKey = categoryKey(name);
    const known = children.get(nameKey);
    if (known !== undefined) return known;
    const node = this.#add(new CategoryNode(parent, parent.tree, name, nameKey, parent.depth + 1));
    children.set(nameKey, node);
    return node;
  }

  #add(node: CategoryNode): CategoryNode {
    const level = this.levels[node.depth];
    if (level === undefined) this.levels[node.depth] = [node];
    else level.push(node);
    return node;
  }
}
