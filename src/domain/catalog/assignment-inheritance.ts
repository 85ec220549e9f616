/** Which attributes a category has, given its parent's and its own assignments. */
import type { AssignedAttribute } from './site-definitions.js';

export interface OwnAssignment {
  readonly attributeId: string;
  readonly mandatory: boolean;
}

const NONE: readonly AssignedAttribute[] = [];

/**
 * Computes the attributes of the categories of a tree, each category after its parent. An attribute that is assigned
 * again at a lower level keeps its position, and the nearest assignment decides whether it is mandatory. Categories
 * without assignments of their own share one array, so that a tree of tens of thousands of nodes stays small.
 */
export class AssignmentInheritance {
  readonly #passedOn = new Map<readonly AssignedAttribute[], readonly AssignedAttribute[]>();

  /**
   * The attributes of a category.
   * @param parent the attributes of its parent, as this method returned them; undefined without a parent
   * @param own its own assignments, in order
   */
  attributesOf(
    parent: readonly AssignedAttribute[] | undefined,
    own: readonly OwnAssignment[],
  ): readonly AssignedAttribute[] {
    const inherited = parent === undefined ? NONE : this.#inheritedFrom(parent);
    if (own.length === 0) return inherited;
    const merged = new Map(inherited.map((assigned) => [assigned.attributeId, assigned]));
    for (const { attributeId, mandatory } of own) merged.set(attributeId, { attributeId, mandatory, inherited: false });
    return [...merged.values()];
  }

  #inheritedFrom(parent: readonly AssignedAttribute[]): readonly AssignedAttribute[] {
    if (parent.length === 0) return NONE;
    const known = this.#passedOn.get(parent);
    if (known !== undefined) return known;
    const passedOn = parent.every((assigned) => assigned.inherited)
      ? parent
      : parent.map((assigned) => (assigned.inherited ? assigned : { ...assigned, inherited: true }));
    this.#passedOn.set(parent, passedOn);
    return passedOn;
  }
}
