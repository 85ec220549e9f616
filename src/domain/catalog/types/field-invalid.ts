/** The problem of a row whose attribute has an invalid field. */
import type { RowProblem } from '../../kernel/row-problem.js';
import { ValueProblem } from '../../kernel/value-problem.js';

/** @param field its path in the element, such as `validation.range.min` or `options[3]` */
export function fieldInvalid(field: string, message: string, value?: unknown): RowProblem {
  if (value === undefined) return { code: 'FIELD_INVALID', column: field, message: `${field} ${message}` };
  return new ValueProblem('FIELD_INVALID', `${field} ${message}`, value).at(field);
}
