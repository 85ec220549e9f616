/** A site's attributes, mapping and primary categories at one version: all that a job needs to check rows. */
import type { AttributeDefinition, AttributeMapping } from './model/attribute-definition.js';

/** One attribute that items of a category may carry. */
export interface AssignedAttribute {
  readonly attributeId: string;
  /** Whether an item stays DRAFT until it has a value. */
  readonly mandatory: boolean;
  /** Whether it is assigned to an ancestor, not to the category itself. */
  readonly inherited: boolean;
}

/** A category of the primary tree. */
export interface DefinitionCategory {
  readonly nodeId: number;
  readonly id: string;
  /** Null for the root. */
  readonly parentNodeId: number | null;
  readonly name: string;
  readonly active: boolean;
  /** Whether it has no children, so that it may hold items. The root is never a leaf. */
  readonly leaf: boolean;
  /** Inherited attributes first, from the root down, then the category's own. Categories may share one array. */
  readonly attributes: readonly AssignedAttribute[];
}

export interface SiteDefinitions {
  readonly version: number;
  /** In the order of `position`. */
  readonly attributes: AttributeDefinition[];
  /** The id of the attribute that has each role. */
  readonly mappings: Partial<Record<AttributeMapping, string>>;
  /** Parents come before their children. */
  readonly categories: DefinitionCategory[];
}
