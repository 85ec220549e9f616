/** Finds the cells of an attribute file whose number may have been misread. */
import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import type { Doubt } from '../model/compiled-attribute.js';
import { textOfCell } from '../types/cell-text.js';
import { decimalDoubt } from '../types/decimal-values.js';
import type { AttributeColumn, AttributeColumns } from './attribute-columns.js';
import { AttributeRow } from './cells/attribute-row.js';
import { fileTypeFrom, typeNamedBy } from './file-types.js';

/** A cell that is read as a decimal, and what may be doubtful about it. */
interface DecimalCell {
  readonly index: number;
  readonly column: AttributeColumn;
  readonly text: string;
  readonly isRefused: boolean;
  readonly doubt: Doubt;
}

/** The cells of a row that are read as decimals; none if it does not say its type. */
export function decimalCells(
  columns: AttributeColumns,
  cells: readonly string[],
  separator: '.' | ',' = '.',
): DecimalCell[] {
  const row = new AttributeRow(columns, cells);
  const fileType = fileTypeFrom(row.text('Type of Attribute') ?? '');
  if (fileType === undefined) return [];
  if (typeNamedBy(fileType, row.flag('Decimal') ?? undefined).form.numerals !== true) return [];
  return columns.flatMap((column, index) => {
    if (column === null || !(column === 'Min' || column === 'Max' || column.startsWith('Value '))) return [];
    const text = textOfCell(cells[index] ?? '');
    if (text === null || text === '') return [];
    const isRefused = typeof canonicalDecimal(text.trim(), separator) !== 'string';
    return [{ index, column, text, isRefused, doubt: decimalDoubt(separator) }];
  });
}
