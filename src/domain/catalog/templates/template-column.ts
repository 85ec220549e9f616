/** The format of a template's column, which depends on its attribute. */
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeDefinition } from '../model/attribute-definition.js';
import type { AttributeType } from '../types/attribute-type.js';
import { BOOLEAN_CHOICES } from '../types/boolean.js';

/** @param mandatory whether items of the category need a value */
export function attributeTemplateColumn(definition: AttributeDefinition, mandatory: boolean): XlsxColumn {
  const { name } = definition;
  const type: AttributeType = ATTRIBUTE_TYPES[definition.type];
  const choices = type.choices(definition);
  return {
    title: name,
    format: type.workbook(definition).templateFormat,
    // New items are given the next number.
    mandatory: mandatory && !type.numbersItems,
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A column of texts that is not an attribute. */
export function textColumn(title: string, mandatory = false, choices?: readonly string[]): XlsxColumn {
  return { title, format: 'text', mandatory, ...(choices === undefined ? {} : { choices }) };
}

/** A column of true and false. */
export function flagColumn(title: string): XlsxColumn {
  return { title, format: 'general', choices: BOOLEAN_CHOICES };
}
