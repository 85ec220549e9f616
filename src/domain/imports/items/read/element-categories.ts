/** Reads the category and the alternate categories of an element. */
import { storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { asDouble, WrittenNumber } from '../../../kernel/written-number.js';
import type { DraftBuilder } from './draft-builder.js';
import { wrongType } from './element-fields.js';
import type { AlternateRef } from './item-draft.js';

const DIGITS = /^[1-9][0-9]{0,9}$/;

export function readNodeId(builder: DraftBuilder, given: unknown): void {
  if (given === null) return;
  const value = asDouble(given);
  if (typeof value === 'number') builder.categoryByNodeId(value, 'nodeId');
  // Here digits are never a name, so that a category with that name does not make them ambiguous.
  else if (typeof value === 'string' && DIGITS.test(value.trim())) builder.categoryByNodeId(Number(value), 'nodeId');
  else if (typeof value === 'string') builder.category(value, 'nodeId');
  else if (value instanceof WrittenNumber) builder.fail(noNodeId(value, 'nodeId'), 'place');
  else wrongType(builder, 'nodeId', 'a number', value);
}

/** The problem of a number that no double holds exactly. */
function noNodeId({ text }: WrittenNumber, column: string): RowProblem {
  const message = `there is no category with the node id ${storable(text, 60)}, because node ids are whole numbers: correct it`;
  return { code: 'NODE_NOT_FOUND', column, message, value: storable(text, 200) };
}

/**
 * Node ids as numbers, and texts, as in the column. `null` and an empty list take the item out of all alternate
 * categories.
 */
export function readAlternates(builder: DraftBuilder, value: unknown): void {
  const field = 'alternateCategories';
  if (value === null) return builder.alternates([], field);
  if (!Array.isArray(value)) return wrongType(builder, field, 'a list of category paths and node ids', value);
  const named: AlternateRef[] = [];
  for (const [index, given] of value.entries()) {
    const one = asDouble(given);
    if (typeof one === 'number') named.push(one);
    else if (one instanceof WrittenNumber) return builder.fail(noNodeId(one, field));
    else if (typeof one !== 'string') {
      return wrongType(builder, `${field}[${index}]`, 'a category path or a node id', given, field);
    } else if (one.trim() !== '') named.push(one.trim());
  }
  builder.alternates(named, field);
}
