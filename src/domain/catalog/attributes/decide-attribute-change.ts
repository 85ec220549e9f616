/** Decides what a parsed attribute input does to a site's attributes. Pure: nothing is read or written. */
import type { RowProblem } from '../../ingest/row-problem.js';
import type { AttributeDefinition } from '../attribute-definition.js';
import type { AttributeInput } from './parse-attribute-input.js';

/** A site's attribute as it stands. */
export interface CurrentAttribute {
  definition: AttributeDefinition;
  /** How many items hold a value of it; undefined: not known to be more than none. */
  usage?: number | undefined;
}

export type AttributeChange =
  | { kind: 'create' | 'update'; definition: AttributeDefinition; previous?: AttributeDefinition | undefined }
  | { kind: 'unchanged' | 'delete'; definition: AttributeDefinition };

/** An array is the list of what is wrong. */
export function decideAttributeChange(
  current: readonly CurrentAttribute[],
  input: AttributeInput,
  newId: () => string,
): AttributeChange | RowProblem[] {
  throw new Error(`not decided yet: ${current.length} ${input.action} ${newId()}`);
}
