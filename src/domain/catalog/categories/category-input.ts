/** What one row says of a category, whichever format it came in; and the schema of an element that says it in JSON. */
import { z } from 'zod';
import type { CategoryTree } from '../../../../db/models/category.js';
import type { AttributeReference } from '../attributes/find-attributes.js';
import type { CategoryReference } from './find-category.js';

/** Which category a row is about. Names are trimmed and in NFC. */
export type CategoryPlace =
  /** From below `PRIMARY`, or from the root of an alternate tree. None: `PRIMARY` itself. */
  | { readonly tree: CategoryTree; readonly names: readonly string[] }
  | { readonly parent: CategoryReference; readonly name: string };

export interface GivenAssignment {
  readonly attribute: AttributeReference;
  readonly mandatory: boolean;
}

/** What is undefined is left as it is. */
export interface CategoryInput {
  readonly place: CategoryPlace;
  readonly order?: number | undefined;
  readonly active?: boolean | undefined;
  /** The category's own attributes are to be these and no others, in this order. */
  readonly attributes?: readonly GivenAssignment[] | undefined;
}

const assignment = z.strictObject({
  attributeId: z.string().nullish(),
  name: z.string().nullish().describe('Instead of its id'),
  mandatory: z.boolean().nullish().describe('Items stay DRAFT without a value (default false)'),
});

/** An element as it is sent; `null` is the default of a field. */
export const categoryElementSchema = z.strictObject({
  name: z.string().nullish().describe('The name alone; at most 255 characters'),
  parentNodeName: z
    .string()
    .nullish()
    .describe('Path of the parent, `Storage->Disk`; it may stand later in the same array. None: a top category'),
  parentNodeId: z.union([z.int().positive(), z.string()]).nullish().describe('Instead of its path'),
  parentId: z.string().nullish().describe('Instead of its path'),
  path: z.string().nullish().describe('Instead of name and parent: the whole path'),
  type: z.enum(['PRIMARY', 'ALTERNATE']).nullish().describe('The tree; without it and a parent by id, PRIMARY'),
  order: z.int32().nullish().describe('Place among its siblings; 0 by default'),
  active: z.boolean().nullish().describe('true by default'),
  itemAttributes: z
    .array(assignment)
    .max(10_000)
    .nullish()
    .describe("The category's own attributes: these and no others; null or empty: none. Left out: as they are"),
});
