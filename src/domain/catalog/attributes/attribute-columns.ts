/** The columns of attribute files: the template's header, and the meaning of an uploaded file's header. */
import { resolveHeader } from '../../formats/resolve-header.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import { ATTRIBUTE_TYPE_NAMES, MAX_OPTIONS } from '../model/attribute-definition.js';
import type { AttributeType } from '../types/attribute-type.js';

const BEFORE_VALUES = [
  'Attribute Title',
  'Type of Attribute',
  'Description',
  'Decimal',
  'Min',
  'Max',
  'Date Format',
  'Calculation Formula',
  'Validation Formula',
  'Mandatory',
  'Start With',
  'Increment by',
  'Method',
  'Size',
] as const;
const AFTER_VALUES = ['Unique', 'Inheritable', 'Pattern', 'Max Length', 'Contains', 'Locales'] as const;

/** The column of exports for the roles of attributes; templates do not have it. */
const ROLES = 'Mapping' as const;

export type FixedColumn = (typeof BEFORE_VALUES)[number] | (typeof AFTER_VALUES)[number] | typeof ROLES;
type ValueColumn = `Value ${number}`;
export type AttributeColumn = FixedColumn | ValueColumn;

/** The columns of a file by position; null for a column that is ignored. */
export type AttributeColumns = readonly (AttributeColumn | null)[];

const FIXED: ReadonlyMap<string, FixedColumn> = new Map(
  [...BEFORE_VALUES, ...AFTER_VALUES, ROLES].map((column) => [attributeKey(column), column]),
);
const VALUE_COLUMN = /^value ([1-9][0-9]{0,4})$/;

/** The most columns that an attribute file can need. */
export const MAX_ATTRIBUTE_COLUMNS = BEFORE_VALUES.length + MAX_OPTIONS + AFTER_VALUES.length + 1;

/**
 * @param valueColumns how many columns there are for options; an export needs as many as its longest list has options
 * @param withRoles whether there is a column for the roles of attributes
 */
export function attributeExportHeader(valueColumns = 5, withRoles = false): AttributeColumn[] {
  const values = Array.from({ length: valueColumns }, (_, index): ValueColumn => `Value ${index + 1}`);
  return [...BEFORE_VALUES, ...values, ...AFTER_VALUES, ...(withRoles ? ([ROLES] as const) : [])];
}

/** The columns of the format that no attribute of ours has. */
export const WITHOUT_EFFECT: readonly AttributeColumn[] = ['Method', 'Size'];

/** Columns of the format that no attribute of ours can fill: exports keep them, and imports accept them empty. */
const NEVER_FILLED: ReadonlySet<AttributeColumn> = new Set([
  'Calculation Formula',
  'Validation Formula',
  'Method',
  'Size',
]);

/** The columns of the template that people fill in. */
export function attributeTemplateHeader(): AttributeColumn[] {
  return attributeExportHeader().filter((column) => !NEVER_FILLED.has(column));
}

/** @throws RejectedInput for an unknown or repeated column, and when there is no `Attribute Title` */
export function resolveAttributeHeader(cells: readonly string[]): AttributeColumns {
  return resolveHeader(cells, {
    of: 'attribute',
    key: 'Attribute Title',
    identified: 'attributes',
    known: attributeExportHeader(1, true),
    columnOf: (key) => {
      const value = VALUE_COLUMN.exec(key);
      return value ? (`Value ${Number(value[1])}` as const) : FIXED.get(key);
    },
  });
}

/** The possible values of a cell `Type of Attribute`. */
export const FILE_TYPES: readonly string[] = [
  ...new Set(
    ATTRIBUTE_TYPE_NAMES.flatMap((name) => {
      const { fileForms }: AttributeType = ATTRIBUTE_TYPES[name];
      return fileForms.map(({ fileType }) => fileType);
    }),
  ),
];

const COLUMN_OF_FIELD: Readonly<Record<string, FixedColumn>> = {
  name: 'Attribute Title',
  type: 'Type of Attribute',
  textSubType: 'Type of Attribute',
  description: 'Description',
  optionsType: 'Decimal',
  serialStart: 'Start With',
  format: 'Date Format',
  locales: 'Locales',
  mapping: ROLES,
  'validation.required': 'Mandatory',
  'validation.unique': 'Unique',
  'validation.inheritable': 'Inheritable',
  'validation.contains': 'Contains',
  'validation.startWith': 'Start With',
  'validation.incrementBy': 'Increment by',
  'validation.range': 'Min',
  'validation.range.min': 'Min',
  'validation.range.max': 'Max',
  'validation.pattern': 'Pattern',
  'validation.maxLength': 'Max Length',
};

/**
 * The column that a field of an element (`validation.range.min`, `options[2]`) comes from; null when there is none.
 *
 * @param valueColumns the columns that hold the row's values, if columns between them are empty
 */
export function attributeColumnOf(
  field: string,
  valueColumns: readonly AttributeColumn[] = [],
): AttributeColumn | null {
  const value = /^(?:options|validation\.oneOf)(?:\[([0-9]+)\])?$/.exec(field);
  if (value) {
    const index = Number(value[1] ?? 0);
    return valueColumns[index] ?? `Value ${index + 1}`;
  }
  return COLUMN_OF_FIELD[field] ?? COLUMN_OF_FIELD[field.replace(/\[.*$/, '')] ?? null;
}
