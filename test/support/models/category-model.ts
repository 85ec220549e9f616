/** A site's categories as a few objects: what random operations on the real ones are compared with. */
import { categoryKey } from '../../../src/domain/catalog/categories/category-name.js';

export interface ModelNode {
  readonly label: number;
  readonly tree: 'PRIMARY' | 'ALTERNATE';
  name: string;
  parent: ModelNode | null;
  holdsItem: boolean;
}

export class CategoryModel {
  readonly nodes: ModelNode[] = [];
  #labels = 0;

  constructor() {
    this.#add(null, 'PRIMARY', 'PRIMARY');
  }

  get root(): ModelNode {
    return this.nodes[0] as ModelNode;
  }

  /** @returns the code of the refusal, or the node that was made */
  create(parent: ModelNode | null, tree: ModelNode['tree'], name: string): string | ModelNode {
    const above = parent ?? (tree === 'PRIMARY' ? this.root : null);
    return this.#nameProblem(above, name) ?? this.#childProblem(above) ?? this.#add(above, above?.tree ?? tree, name);
  }

  rename(node: ModelNode, name: string): string | null {
    if (node === this.root && name !== node.name) return 'NODE_IS_ROOT';
    const problem = this.#nameProblem(node.parent, name, node);
    if (problem === null) node.name = name;
    return problem;
  }

  move(node: ModelNode, parent: ModelNode): string | null {
    if (node.parent === parent) return null;
    const problem = this.#moveProblem(node, parent);
    if (problem === null) node.parent = parent;
    return problem;
  }

  delete(node: ModelNode): string | null {
    if (node === this.root) return 'NODE_IS_ROOT';
    if (node.holdsItem || this.childrenOf(node).length > 0) return 'CATEGORY_NOT_EMPTY';
    this.nodes.splice(this.nodes.indexOf(node), 1);
    return null;
  }

  childrenOf(node: ModelNode): ModelNode[] {
    return this.nodes.filter(({ parent }) => parent === node);
  }

  isLeaf(node: ModelNode): boolean {
    return this.childrenOf(node).length === 0 && node !== this.root;
  }

  /** From the root down. */
  lineage(node: ModelNode): ModelNode[] {
    return node.parent === null ? [node] : [...this.lineage(node.parent), node];
  }

  #add(parent: ModelNode | null, tree: ModelNode['tree'], name: string): ModelNode {
    const node = { label: ++this.#labels, tree, name, parent, holdsItem: false };
    this.nodes.push(node);
    return node;
  }

  #moveProblem(node: ModelNode, parent: ModelNode): string | null {
    if (node.parent === null) return 'NODE_IS_ROOT';
    if (node.tree !== parent.tree) return 'NODE_OF_OTHER_TREE';
    if (this.lineage(parent).includes(node)) return 'CATEGORY_CYCLE';
    return this.#childProblem(parent) ?? this.#nameProblem(parent, node.name, node);
  }

  #nameProblem(parent: ModelNode | null, name: string, except?: ModelNode): string | null {
    const twin = this.nodes.find(
      (node) => node !== except && node.parent === parent && categoryKey(node.name) === categoryKey(name),
    );
    if (twin === undefined) return null;
    return twin === this.root ? 'NAME_RESERVED' : 'CATEGORY_EXISTS';
  }

  #childProblem(parent: ModelNode | null): string | null {
    return parent?.holdsItem === true ? 'NODE_HOLDS_ITEMS' : null;
  }
}
