/** Converts the cells of a row to the element of a bulk request. */
import type { RowProblem } from '../../../kernel/row-problem.js';
import { ATTRIBUTE_TYPES } from '../../attribute-types.js';
import type { TypeField } from '../../types/attribute-type.js';
import type { AttributeColumn, AttributeColumns } from '../attribute-columns.js';
import { FILE_TYPES_WITH_DECIMALS, typeNamedBy } from '../file-types.js';
import { AttributeRow } from './attribute-row.js';

/** An element for parseAttributeInput. */
type AttributeElementFromCells = Record<string, unknown>;

/**
 * An empty cell leaves the field as it is, `NULL` clears it, and `\NULL` is the text NULL. typeNamedBy explains
 * `Decimal`. `Start With` is the first number of a SERIAL, or the beginning of a text. The values are the options of a
 * LOV, or the only allowed values of another type.
 *
 * @returns the element, or the problems of cells that cannot be converted to fields
 */
export function attributeFromCells(
  columns: AttributeColumns,
  cells: readonly string[],
  decimalSeparator: '.' | ',' = '.',
): AttributeElementFromCells | RowProblem[] {
  const row = new AttributeRow(columns, cells);
  const fileType = row.fileType();
  const decimal = row.flag('Decimal');
  row.refuseUnsupported();
  row.refuseUntyped(fileType);
  if (decimal && fileType !== undefined && !FILE_TYPES_WITH_DECIMALS.includes(fileType)) {
    const which = FILE_TYPES_WITH_DECIMALS.join(' and ');
    row.fail('FIELD_INVALID', 'Decimal', `is for ${which}; this row is ${fileType}: clear the cell`);
  }
  const named = fileType === undefined ? undefined : typeNamedBy(fileType, decimal ?? undefined);
  const parts: readonly TypeField[] = named === undefined ? [] : ATTRIBUTE_TYPES[named.type].fields;
  const [isSerial, hasOptions] = [parts.includes('serialStart'), parts.includes('options')];
  const numeric = named?.form.numerals === true;
  const number = (column: AttributeColumn) => (numeric ? row.decimal(column, decimalSeparator) : row.text(column));
  const values = row.values(number);
  const element: AttributeElementFromCells = {
    ...(named === undefined ? {} : { type: named.type, ...named.form.fields }),
    name: row.text('Attribute Title'),
    description: row.text('Description'),
    format: row.text('Date Format'),
    serialStart: isSerial ? row.integer('Start With') : undefined,
    options: hasOptions ? values : undefined,
    locales: row.locales(),
    mapping: row.roles(),
    validation: {
      required: row.flag('Mandatory'),
      unique: row.flag('Unique'),
      inheritable: row.flag('Inheritable'),
      contains: row.text('Contains'),
      startWith: isSerial ? undefined : row.text('Start With'),
      incrementBy: row.integer('Increment by'),
      range: { min: number('Min'), max: number('Max') },
      oneOf: hasOptions ? undefined : values,
      pattern: row.text('Pattern'),
      maxLength: row.integer('Max Length'),
    },
  };
  return row.problems.length > 0 ? row.problems : element;
}
