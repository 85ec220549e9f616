/** What a site's attributes, mapping and primary categories say at one version: all that a job needs to judge rows. */
import type { AttributeDefinition, AttributeMapping } from './attribute-definition.js';

/** One attribute that items of a category may carry. */
export interface AssignedAttribute {
  readonly attributeId: string;
  /** The item stays DRAFT until it has a value. */
  readonly mandatory: boolean;
  /** Assigned to an ancestor, not to the category itself. */
  readonly inherited: boolean;
}

/** A category of the primary tree. */
export interface DefinitionCategory {
  readonly nodeId: number;
  readonly id: string;
  /** Null: the root. */
  readonly parentNodeId: number | null;
  readonly name: string;
  readonly active: boolean;
  /** Has no children, so that it may hold items. The root never is one. */
  readonly leaf: boolean;
  /** Inherited ones first, from the root down, then its own. Categories may share one array. */
  readonly attributes: readonly AssignedAttribute[];
}

export interface SiteDefinitions {
  readonly version: number;
  /** In the order of `position`. */
  readonly attributes: AttributeDefinition[];
  /** The id of the attribute that plays each part. */
  readonly mappings: Partial<Record<AttributeMapping, string>>;
  /** Parents before children. */
  readonly categories: DefinitionCategory[];
}
