/** Writes an attribute as a row of an attribute file. */
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeDefinition, AttributeLocale, AttributeMapping } from '../model/attribute-definition.js';
import type { FileForm } from '../types/attribute-type.js';
import { cellOfText } from '../types/cell-text.js';
import { attributeExportHeader, type FixedColumn } from './attribute-columns.js';

/** How many `Value` columns a definition needs. */
export function valueColumnsOf(definition: AttributeDefinition): number {
  return valuesOf(definition).length;
}

/**
 * The cells in the order of `attributeExportHeader(valueColumns, roles !== null)`. An upsert with them changes
 * nothing.
 *
 * @param roles the roles of the attribute; null when there is no column for them
 * @throws RangeError when the definition has more values than there are columns for
 */
export function attributeToCells(
  definition: AttributeDefinition,
  valueColumns = 5,
  decimalSeparator: '.' | ',' = '.',
  roles: readonly AttributeMapping[] | null = null,
): string[] {
  const values = valuesOf(definition);
  if (values.length > valueColumns) {
    throw new RangeError(`${definition.name} has ${values.length} values, more than the ${valueColumns} columns`);
  }
  const form: FileForm = ATTRIBUTE_TYPES[definition.type].fileForm(definition);
  const separator = form.numerals === true ? decimalSeparator : '.';
  const fixed = fixedCells(definition, form, (value) => numeral(value, separator));
  return attributeExportHeader(valueColumns, roles !== null).map((column) => {
    if (column === 'Mapping') return (roles ?? []).join('; ');
    const value = /^Value ([0-9]+)$/.exec(column);
    if (!value) return fixed[column as FixedColumn] ?? '';
    const text = values[Number(value[1]) - 1];
    return text === undefined ? '' : cellOfText(numeral(text, separator));
  });
}

/** The cell that says which attribute a row is of. */
export function attributeTitleCell(name: string): string {
  return cellOfText(name);
}

function fixedCells(
  definition: AttributeDefinition,
  { fileType, decimal }: FileForm,
  write: (value: string | number) => string,
): Partial<Record<FixedColumn, string>> {
  const { validation } = definition;
  const start =
    definition.serialStart === undefined ? cellOfText(validation.startWith ?? '') : String(definition.serialStart);
  return {
    'Attribute Title': attributeTitleCell(definition.name),
    'Type of Attribute': fileType,
    Description: cellOfText(definition.description ?? ''),
    Decimal: decimal === undefined ? '' : flag(decimal),
    Min: validation.range?.min === undefined ? '' : write(validation.range.min),
    Max: validation.range?.max === undefined ? '' : write(validation.range.max),
    'Date Format': cellOfText(definition.format ?? ''),
    Mandatory: flag(validation.required),
    'Start With': start,
    'Increment by': String(validation.incrementBy ?? ''),
    Unique: flag(validation.unique),
    Inheritable: flag(validation.inheritable),
    Pattern: cellOfText(validation.pattern ?? ''),
    'Max Length': String(validation.maxLength ?? ''),
    Contains: cellOfText(validation.contains ?? ''),
    Locales: cellOfText(localesToText(definition.locales ?? [])),
  };
}

function valuesOf({ options, validation }: AttributeDefinition): readonly string[] {
  return options ?? validation.oneOf ?? [];
}

function numeral(value: string | number, decimalSeparator: '.' | ','): string {
  return decimalSeparator === ',' ? String(value).replace('.', ',') : String(value);
}

function flag(value: boolean | undefined): string {
  return value ? 'TRUE' : 'FALSE';
}

/** With `\;` and `\\` for a semicolon and a backslash in a name. */
function localesToText(locales: readonly AttributeLocale[]): string {
  return locales.map(({ locale, name }) => `${locale}: ${name.replace(/[;\\]/g, '\\$&')}`).join('; ');
}
