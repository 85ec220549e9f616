/** The contents of one row about a category, in any format, and the schema of such a row in JSON. */
import { z } from 'zod';
import type { CategoryTree } from '../../../../db/models/category.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { AttributeReference } from '../attributes/attribute-reference.js';
import type { CategoryReference } from './find-category.js';

/** Which category a row is about. Names are trimmed and in NFC. */
export type CategoryPlace =
  /** The names below `PRIMARY`, or from the root of an alternate tree. An empty list is `PRIMARY` itself. */
  | { readonly tree: CategoryTree; readonly names: readonly string[] }
  | { readonly parent: CategoryReference; readonly name: string };

export interface GivenAssignment {
  readonly attribute: AttributeReference;
  readonly mandatory: boolean;
}

/** Undefined fields are left as they are. */
export interface CategoryInput {
  readonly place: CategoryPlace;
  readonly order?: number | undefined;
  readonly active?: boolean | undefined;
  /** Replaces the category's own attributes, in this order. */
  readonly attributes?: readonly GivenAssignment[] | undefined;
  /** What is wrong with other fields of the row, which is why it cannot be applied; its place is known all the same. */
  readonly problems?: readonly RowProblem[] | undefined;
}

const assignment = z.strictObject({
  attributeId: z.string().nullish(),
  name: z.string().nullish().describe('Instead of its id'),
  mandatory: z.boolean().nullish().describe('Items stay DRAFT without a value (default false)'),
});

/**
 * An element as it is sent; `null` is the default of a field. The parent has none: with null from a variable that is not
 * set, the category would become a top category.
 */
export const categoryElementSchema = z.strictObject({
  name: z.string().nullish().describe('The name alone; at most 255 characters'),
  parentNodeName: z
    .string()
    .optional()
    .describe(
      'Path of the parent, such as `Storage->Disk`; the parent may come later in the same array. A category without a parent is a top category',
    ),
  parentNodeId: z
    .union([z.int().positive(), z.string()])
    .optional()
    .describe('Node id of the parent, instead of its path'),
  parentId: z.string().optional().describe('Id of the parent, instead of its path'),
  path: z.string().nullish().describe('The whole path, instead of the name and the parent'),
  type: z
    .enum(['PRIMARY', 'ALTERNATE'])
    .nullish()
    .describe('The tree; PRIMARY by default. A parent by id or node id decides it'),
  order: z.int32().nullish().describe('Position among its siblings; 0 by default'),
  active: z.boolean().nullish().describe('true by default'),
  itemAttributes: z
    .array(assignment)
    .max(10_000)
    .nullish()
    .describe(
      "Replaces the category's own attributes; null or an empty list removes them all. Without this field they stay as they are",
    ),
});
