/** How a column of a template looks in a spreadsheet: by what its attribute holds. */
import { decimalCell } from '../../formats/xlsx/cell.js';
import type { XlsxColumn } from '../../formats/xlsx/sheet-columns.js';
import type { AttributeDefinition } from '../attribute-definition.js';

/** @param mandatory whether the category asks for a value; the attribute itself may, too. */
export function attributeTemplateColumn(definition: AttributeDefinition, mandatory: boolean): XlsxColumn {
  const { name, type, validation } = definition;
  const choices = choicesOf(definition);
  return {
    title: name,
    format: formatOf(definition),
    // A SERIAL is given its value.
    mandatory: (mandatory || validation.required === true) && type !== 'SERIAL',
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A column of texts that is no attribute. */
export function textColumn(title: string, mandatory = false, choices?: readonly string[]): XlsxColumn {
  return { title, format: 'text', mandatory, ...(choices === undefined ? {} : { choices }) };
}

/** A column that is true or false. */
export function flagColumn(title: string): XlsxColumn {
  return { title, format: 'general', choices: BOOLEANS };
}

const BOOLEANS = ['TRUE', 'FALSE'] as const;

function formatOf({ type, optionsType }: AttributeDefinition): 'text' | 'date' | 'general' {
  if (type === 'DATETIME') return 'date';
  return type === 'TEXT' || (type === 'OPTIONS' && !isNumeric(optionsType)) ? 'text' : 'general';
}

function choicesOf(definition: AttributeDefinition): readonly (string | number)[] | undefined {
  const { type, options = [], optionsType, validation } = definition;
  switch (type) {
    case 'BOOLEAN':
      return BOOLEANS;
    case 'OPTIONS':
      return isNumeric(optionsType) ? options.map(decimalCell) : options;
    case 'TEXT':
      return validation.oneOf;
    case 'INTEGER':
    case 'DECIMAL':
      return validation.oneOf?.map(decimalCell);
    default:
      return undefined;
  }
}

function isNumeric(optionsType: AttributeDefinition['optionsType']): boolean {
  return optionsType === 'INTEGER' || optionsType === 'DECIMAL';
}
