/** One element of a bulk attribute request: the schema that checks and describes it, and the input that it becomes. */
import { z } from 'zod';
import { isStorable } from '../../kernel/characters.js';
import { typesWith } from '../attribute-types.js';
import type { AttributeMapping, AttributeTypeName } from '../model/attribute-definition.js';
import {
  ATTRIBUTE_MAPPINGS,
  ATTRIBUTE_TYPE_NAMES,
  MAX_OPTIONS,
  OPTIONS_TYPES,
  TEXT_SUB_TYPES,
} from '../model/attribute-definition.js';
import { MAX_FORMAT_CHARACTERS } from '../model/date-format.js';
import type { AttributeDraft } from '../types/attribute-draft.js';
import type { TypeField, TypeRule } from '../types/attribute-type.js';
import { MAX_PATTERN_CHARACTERS } from '../types/pattern.js';
import { MAX_TEXT_BYTES } from '../types/text.js';

const WIRE_ACTIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;
/** INSERT and UPSERT come from files: INSERT refuses a name that exists, UPSERT merges into its attribute. */
export type AttributeAction = (typeof WIRE_ACTIONS)[number] | 'INSERT' | 'UPSERT';

const MAX_DESCRIPTION_CHARACTERS = 10_000;
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
  oneOf: z
    .array(value)
    .max(MAX_OPTIONS)
    .nullish()
    .describe(
      about('oneOf', 'the only values allowed; for OPTIONS another name of options, which is accepted in its place'),
    ),
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

/**
 * An element as it is sent. `null` and empty text are no value, which clears the field in an UPDATE. What is done, and to
 * which attribute, is never null: CREATE would replace one, and an UPDATE would change another one.
 */
export const attributeInputSchema = z.strictObject({
  action: z.enum(WIRE_ACTIONS).optional().describe('CREATE by default; it replaces an attribute of the same name'),
  id: z
    .string()
    .optional()
    .describe('UPDATE and DELETE: the attribute, 24 hex characters; with a name, UPDATE renames'),
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
    .describe(
      'The role of the attribute, or a list of them; see POST …/attribute/mapping. With UPDATE and UPSERT, null takes its roles away',
    ),
  validation: validationSchema.nullish(),
});
export type AttributeElement = z.infer<typeof attributeInputSchema>;

export interface AttributeInput {
  action: AttributeAction;
  id?: string | undefined;
  /** Trimmed and in NFC. */
  name?: string | undefined;
  /** Roles that the element also assigns, as POST …/attribute/mapping does; null: it takes away those that there are. */
  mappings?: readonly AttributeMapping[] | null | undefined;
  /**
   * The types that a file's row leaves open (NUMBER without `Decimal`): an attribute that has one of them keeps its
   * type.
   */
  possibleTypes?: readonly AttributeTypeName[] | undefined;
  draft: AttributeDraft;
}
