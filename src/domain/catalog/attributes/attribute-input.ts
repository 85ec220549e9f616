/** One element of a bulk attribute request: the schema that checks and describes it, and the input that it becomes. */
import { z } from 'zod';
import { attributeKey } from '../../kernel/attribute-key.js';
import { MAX_FORMAT_CHARACTERS } from '../../kernel/date-format.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { RejectedInput } from '../../kernel/rejected-input.js';
import { isStorable } from '../../kernel/storable-text.js';
import { quoted } from '../../kernel/value-problem.js';
import type { AttributeMapping, AttributeTypeName } from '../attribute-definition.js';
import { ATTRIBUTE_MAPPINGS, ATTRIBUTE_TYPE_NAMES, OPTIONS_TYPES, TEXT_SUB_TYPES } from '../attribute-definition.js';
import { typesWith } from '../attribute-types.js';
import type { AttributeDraft } from '../types/attribute-draft.js';
import type { TypeField, TypeRule } from '../types/attribute-type.js';
import { MAX_PATTERN_CHARACTERS } from '../types/pattern.js';
import { MAX_TEXT_BYTES } from '../types/text.js';

const WIRE_ACTIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;
/** INSERT and UPSERT come from files: INSERT refuses a name that exists, UPSERT merges into its attribute. */
export type AttributeAction = (typeof WIRE_ACTIONS)[number] | 'INSERT' | 'UPSERT';

const MAX_DESCRIPTION_CHARACTERS = 10_000;
const MAX_OPTIONS = 10_000;
const MAX_OPTION_CHARACTERS = 1000;
const MAX_LOCALES = 200;
const MAX_INCREMENT = 2 ** 31 - 1;

function text(maxCharacters: number) {
  return z
    .string()
    .max(maxCharacters)
    .refine(isStorable, {
      params: { code: 'INVALID_TEXT' },
      error: 'holds a NUL or half of a surrogate pair: remove it',
    });
}

/** A description that begins with the types that have the field. */
function about(part: TypeField | TypeRule, text: string): string {
  return `${typesWith(part).join(', ')}: ${text}`;
}

const value = z.union([text(MAX_OPTION_CHARACTERS), z.number()]);
const flag = z.boolean().nullish();
const part = z.enum(ATTRIBUTE_MAPPINGS);

const validationSchema = z.strictObject({
  required: flag.describe('No item is created without a value'),
  unique: flag.describe('No two items of the site have the same value'),
  inheritable: flag.describe('Variants inherit the value of their parent'),
  contains: text(MAX_OPTION_CHARACTERS)
    .nullish()
    .describe(about('contains', 'what the value must contain, in the same case')),
  startWith: text(MAX_OPTION_CHARACTERS).nullish().describe(about('startWith', 'what the value must begin with')),
  incrementBy: z
    .int()
    .min(1)
    .max(MAX_INCREMENT)
    .nullish()
    .describe(about('incrementBy', 'the step between two numbers; 1 by default')),
  range: z
    .strictObject({
      min: z.union([z.number(), text(1100)]).nullish(),
      max: z.union([z.number(), text(1100)]).nullish(),
    })
    .nullish()
    .describe(about('range', 'the minimum and the maximum; dates in ISO 8601')),
  oneOf: z.array(value).max(MAX_OPTIONS).nullish().describe(about('oneOf', 'the only values allowed')),
  pattern: text(MAX_PATTERN_CHARACTERS)
    .nullish()
    .describe(
      about(
        'pattern',
        'an RE2 expression that the value or a part of it must match; anchor it with ^ and $ to match the whole',
      ),
    ),
  maxLength: z.int().min(1).max(MAX_TEXT_BYTES).nullish().describe(about('maxLength', 'the most characters allowed')),
});

/** An element as it is sent. `null` and empty text are no value, which clears the field in an UPDATE. */
export const attributeInputSchema = z.strictObject({
  action: z.enum(WIRE_ACTIONS).nullish().describe('CREATE by default; it replaces an attribute of the same name'),
  id: z.string().nullish().describe('UPDATE and DELETE: the attribute, 24 hex characters; with a name, UPDATE renames'),
  name: z.string().nullish().describe('At most 255 characters; unique whatever its case'),
  type: z.enum(ATTRIBUTE_TYPE_NAMES).nullish(),
  description: text(MAX_DESCRIPTION_CHARACTERS).nullish(),
  textSubType: z
    .enum(TEXT_SUB_TYPES)
    .nullish()
    .describe(about('textSubType', 'what the text is; SMALL_TEXT by default')),
  optionsType: z.enum(OPTIONS_TYPES).nullish().describe(about('optionsType', 'what the options are; TEXT by default')),
  options: z
    .array(value)
    .max(MAX_OPTIONS)
    .nullish()
    .describe(about('options', 'the values of which an item may have one')),
  serialStart: z
    .int()
    .nullish()
    .describe(
      about('serialStart', 'the first number; 1 by default. If it is raised later, the next numbers begin there'),
    ),
  format: text(MAX_FORMAT_CHARACTERS)
    .nullish()
    .describe(about('format', 'how files write the date, such as dd.MM.yyyy HH:mm; ISO 8601 by default')),
  locales: z
    .array(
      z.strictObject({ locale: z.string().regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/), name: z.string() }),
    )
    .max(MAX_LOCALES)
    .nullish()
    .describe('The name in other languages'),
  formula: z.unknown().optional().describe('Refused: FORMULA_NOT_SUPPORTED'),
  mapping: z
    .union([z.array(part).max(ATTRIBUTE_MAPPINGS.length), part])
    .nullish()
    .describe('The role of the attribute, or a list of them; see POST …/attribute/mapping'),
  validation: validationSchema.nullish(),
});
export type AttributeElement = z.infer<typeof attributeInputSchema>;

export interface AttributeInput {
  action: AttributeAction;
  id?: string | undefined;
  /** Trimmed and in NFC. */
  name?: string | undefined;
  /** Roles that the element also assigns, as POST …/attribute/mapping does. */
  mappings?: readonly AttributeMapping[] | undefined;
  /**
   * The types that a file's row leaves open (NUMBER without `Decimal`): an attribute that has one of them keeps its
   * type.
   */
  possibleTypes?: readonly AttributeTypeName[] | undefined;
  draft: AttributeDraft;
}

// The columns of attribute files: the template's header, and the meaning of an uploaded file's header.

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
export function attributeTemplateHeader(valueColumns = 5, withRoles = false): AttributeColumn[] {
  const values = Array.from({ length: valueColumns }, (_, index): ValueColumn => `Value ${index + 1}`);
  return [...BEFORE_VALUES, ...values, ...AFTER_VALUES, ...(withRoles ? ([ROLES] as const) : [])];
}

/**
 * Names are compared trimmed, in NFC and ignoring case. Columns that begin with `_` are ignored.
 *
 * @throws RejectedInput for an unknown or repeated column, and when there is no `Attribute Title`
 */
export function resolveAttributeHeader(cells: readonly string[]): AttributeColumns {
  const columns = cells.map(resolveColumn);
  columns.forEach((column, index) => {
    const first = column === null ? index : columns.indexOf(column);
    if (first === index) return;
    const message = `columns ${first + 1} and ${index + 1} are both "${column}": remove one of them`;
    throw new RejectedInput('DUPLICATE_COLUMN', message, { row: 1, column: String(column) });
  });
  if (!columns.includes('Attribute Title')) {
    const message = 'the file has no column "Attribute Title", which identifies the attributes: add it';
    throw new RejectedInput('MISSING_COLUMN', message, { row: 1, column: 'Attribute Title' });
  }
  return columns;
}

function resolveColumn(cell: string, index: number): AttributeColumn | null {
  const name = cell.trim();
  if (name.startsWith('_')) return null;
  const key = attributeKey(name).replace(/\s+/g, ' ');
  const value = VALUE_COLUMN.exec(key);
  const column = value ? (`Value ${Number(value[1])}` as const) : FIXED.get(key);
  if (column !== undefined) return column;
  if (name === '') {
    throw new RejectedInput('UNKNOWN_COLUMN', `column ${index + 1} has no name: name it, or remove it`, { row: 1 });
  }
  const nearest = nearestName(name, attributeTemplateHeader(1, true), (known) => known);
  const hint = nearest === undefined ? 'begin its name with "_" to have it ignored' : `did you mean "${nearest}"?`;
  const message = `column ${index + 1}, ${quoted(name)}, is not a column of attribute files: ${hint}`;
  throw new RejectedInput('UNKNOWN_COLUMN', message, { row: 1, column: name });
}

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
