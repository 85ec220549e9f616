/** Reads a row of an attribute file: converts it to the element of a bulk request and checks it in the same way. */
import type { RowProblem } from '../../kernel/row-problem.js';
import { type AttributeColumn, type AttributeColumns, attributeColumnOf } from './attribute-columns.js';
import type { AttributeAction, AttributeInput } from './attribute-input.js';
import { attributeFromCells } from './cells/attribute-from-cells.js';
import { AttributeRow } from './cells/attribute-row.js';
import { fileTypeFrom, typesNamedBy } from './file-types.js';
import { parseAttributeInput } from './parse-attribute-input.js';

/**
 * Returns the row as an input, or all its problems, which name the file's columns.
 *
 * @param action the action of the file's mode: INSERT, UPSERT or UPDATE
 */
export function parseAttributeRow(
  columns: AttributeColumns,
  cells: readonly string[],
  action: AttributeAction,
  decimalSeparator: '.' | ',' = '.',
): AttributeInput | RowProblem[] {
  const element = attributeFromCells(columns, cells, decimalSeparator);
  if (Array.isArray(element)) return element;
  const input = parseAttributeInput(element, action);
  const row = new AttributeRow(columns, cells);
  if (Array.isArray(input)) return inColumns(input, row.valueColumns());
  const fileType = fileTypeFrom(row.text('Type of Attribute') ?? '');
  return fileType === undefined || row.text('Decimal') ? input : { ...input, possibleTypes: typesNamedBy(fileType) };
}

/** Replaces the names of fields in problems, such as those of `decideAttributeChange`, by the file's columns. */
export function inColumns(problems: readonly RowProblem[], valueColumns?: readonly AttributeColumn[]): RowProblem[] {
  return problems.map((problem) => {
    const column = attributeColumnOf(problem.column ?? '', valueColumns);
    if (column === null || problem.column === null) return problem;
    const message = problem.message.replace(`${problem.column} `, `${column} `);
    return { ...problem, column, message };
  });
}
