/** How a column of a template looks in a spreadsheet: by what its attribute holds. */
import type { XlsxColumn } from '../../formats/xlsx/sheet-columns.js';
import type { AttributeDefinition } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeType } from '../types/attribute-type.js';
import { BOOLEAN_CHOICES } from '../types/boolean.js';

/** @param mandatory whether the category asks for a value; the attribute itself may, too. */
export function attributeTemplateColumn(definition: AttributeDefinition, mandatory: boolean): XlsxColumn {
  const { name, validation } = definition;
  const type: AttributeType = ATTRIBUTE_TYPES[definition.type];
  const choices = type.choices(definition);
  return {
    title: name,
    format: type.workbook(definition).templateFormat,
    // New items are given the next number.
    mandatory: (mandatory || validation.required === true) && !type.numbersItems,
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A column of texts that is no attribute. */
export function textColumn(title: string, mandatory = false, choices?: readonly string[]): XlsxColumn {
  return { title, format: 'text', mandatory, ...(choices === undefined ? {} : { choices }) };
}

/** A column that is true or false. */
export function flagColumn(title: string): XlsxColumn {
  return { title, format: 'general', choices: BOOLEAN_CHOICES };
}
