/** The places that the rows of one input name, as trees: each category once, whatever rows name it or lie below it. */
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
  /** Its own assignments, see assignmentText; not looked up: empty. */
  readonly assigned: string;
}

export interface StoredAssignment {
  readonly attributeId: string;
  readonly mandatory: boolean;
}

/** Assignments in order as one text, equal for equal ones: less to keep than the objects, of tens of thousands. */
export function assignmentText(assignments: readonly StoredAssignment[]): string {
  return assignments.map(({ attributeId, mandatory }) => (mandatory ? `${attributeId}!` : attributeId)).join();
}

export class CategoryNode {
  /** Null: it is not there, or not looked up yet. */
  stored: StoredCategory | null = null;
  /** Index of the row that says what it is to be; -1: none does. */
  winner = -1;

  constructor(
    readonly parent: CategoryNode | null,
    readonly tree: CategoryTree,
    /** As whoever names it first writes it, until its own row does. */
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
  /** By level, in the order in which rows named them. */
  readonly levels: CategoryNode[][] = [];
  readonly #children = new Map<CategoryNode, Map<string, CategoryNode>>();
  readonly #roots = new Map<string, CategoryNode>();

  /** The node of a place, made with those above it. @param names as in CategoryPlace */
  plant(tree: CategoryTree, names: readonly string[]): CategoryNode {
    const [first = '', ...rest] = names;
    let node = tree === 'PRIMARY' ? this.#root(tree, PRIMARY_ROOT_NAME) : this.#root(tree, first);
    for (const name of tree === 'PRIMARY' ? names : rest) node = this.#child(node, name);
    return node;
  }

  /** Leaves nothing but the places: what is stored, and which row counts, is to be found out anew. */
  forget(): void {
    for (const level of this.levels) {
      for (const node of level) {
        node.stored = null;
        node.winner = -1;
      }
    }
  }

  /** The root of the primary tree, if any place is in it. */
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
