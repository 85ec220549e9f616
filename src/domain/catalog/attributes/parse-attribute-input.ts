/** One element of a bulk attribute request, or of a row of an attribute file: its schema, and the input that it becomes. */
import { z } from 'zod';
import { withoutAddedFields } from '../../kernel/added-columns.js';
import { characterCount, isStorable } from '../../kernel/characters.js';
import { MAX_FORMAT_CHARACTERS } from '../../kernel/date-format.js';
import { isId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson, quoted } from '../../kernel/value-problem.js';
import { plainNumbers } from '../../kernel/written-number.js';
import type { AttributeMapping, AttributeTypeName } from '../attribute-definition.js';
import {
  ATTRIBUTE_MAPPINGS,
  ATTRIBUTE_TYPE_NAMES,
  isReservedName,
  MAX_NAME_CHARACTERS,
  MAX_OPTIONS,
  OPTIONS_TYPES,
  RESERVED_NAMES,
  TEXT_SUB_TYPES,
} from '../attribute-definition.js';
import { typesWith } from '../attribute-types.js';
import type { AttributeDraft, TypeField, TypeRule } from '../types/attribute-type.js';
import type { KnownFields } from '../types/explain-issues.js';
import { explainIssues, fieldInvalid } from '../types/explain-issues.js';
import { resolveDefinition } from '../types/resolve-definition.js';
import { MAX_PATTERN_CHARACTERS, MAX_TEXT_BYTES } from '../types/text.js';

// One element of a bulk attribute request: the schema that checks and describes it, and the input that it becomes.

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
type AttributeElement = z.infer<typeof attributeInputSchema>;

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

// Reads one element of a bulk attribute request, or the element that was made from a row of an attribute file.

const ATTRIBUTE_FIELDS: KnownFields = {
  '': Object.keys(attributeInputSchema.shape),
  validation: Object.keys(attributeInputSchema.shape.validation.unwrap().unwrap().shape),
  'validation.range': ['min', 'max'],
  locales: ['locale', 'name'],
};

/**
 * @param json parsed JSON; it may contain WrittenNumbers
 * @param action the action of a file's mode, whose elements have no action of their own
 * @returns the input, or everything that is wrong with the element: `column` names the field (`validation.range.min`)
 */
export function parseAttributeInput(json: unknown, action?: AttributeAction): AttributeInput | RowProblem[] {
  const plain = plainNumbers(json);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    const message = `the element is ${describeJson(plain)}; each must be an object such as {"name":"Colour","type":"TEXT"}`;
    return [{ code: 'ROW_NOT_OBJECT', column: null, message }];
  }
  // Only files can be error files.
  const element = action === undefined ? plain : withoutAddedFields(plain);
  if (given((element as AttributeElement).formula)) return [formulaNotSupported()];
  const parsed = attributeInputSchema.safeParse(element);
  if (!parsed.success) return [...nameProblems(element), ...explainIssues(parsed.error.issues, json, ATTRIBUTE_FIELDS)];
  if (action !== undefined && given(parsed.data.action)) return [actionInFile(parsed.data.action)];
  return inputOf(parsed.data, action ?? parsed.data.action ?? 'CREATE');
}

/** Checks the name together with the other fields, so that all errors can be corrected at once. */
function nameProblems(element: object): RowProblem[] {
  const name = 'name' in element && typeof element.name === 'string' && element.name !== '' ? element.name : undefined;
  const checked = name === undefined ? undefined : checkAttributeName(name);
  return typeof checked === 'object' ? [checked] : [];
}

function inputOf(element: AttributeElement, action: AttributeAction): AttributeInput | RowProblem[] {
  const name = given(element.name) ? checkAttributeName(element.name) : undefined;
  const problems = [...identityProblems(element, action), ...(typeof name === 'object' ? [name] : [])];
  const locales = localesOf(element, problems);
  if (action !== 'DELETE' && action !== 'UPDATE' && action !== 'UPSERT' && !given(element.type))
    problems.push(typeRequired());
  if (action === 'UPDATE' && element.type === null)
    problems.push(fieldInvalid('type', 'cannot be cleared: name another type or leave it out'));
  if (problems.length > 0 || typeof name === 'object') return problems;

  const input: AttributeInput = { action, draft: draftOf(element, locales) };
  if (given(element.id)) input.id = element.id;
  if (name !== undefined) input.name = name;
  if (given(element.mapping)) input.mappings = [element.mapping].flat();
  else if (element.mapping === null && (action === 'UPDATE' || action === 'UPSERT')) input.mappings = null;
  return action === 'CREATE' || action === 'INSERT' ? resolved(input) : input;
}

/**
 * A new attribute is complete here, so its errors are reported here; a change is checked with the attribute it changes.
 */
function resolved(input: AttributeInput): AttributeInput | RowProblem[] {
  const { type } = input.draft;
  if (type === undefined) return [typeRequired()];
  const definition = resolveDefinition({ id: '', name: input.name ?? '', type, position: 0 }, input.draft);
  return Array.isArray(definition) ? definition : input;
}

function identityProblems(element: AttributeElement, action: AttributeAction): RowProblem[] {
  const problems: RowProblem[] = [];
  const byId = action === 'UPDATE' || action === 'DELETE';
  if (given(element.id) && !byId) {
    problems.push(fieldInvalid('id', 'belongs to UPDATE and DELETE: a new attribute is given its id', element.id));
  } else if (given(element.id) && !isId(element.id)) {
    problems.push(fieldInvalid('id', 'must be 24 characters of 0-9 and a-f', element.id));
  }
  if (!given(element.name) && !(byId && given(element.id))) {
    const message = byId
      ? `${action} needs the attribute's id or name`
      : 'the attribute has no name; every attribute needs one';
    problems.push({ code: 'NAME_REQUIRED', column: 'name', message });
  }
  return problems;
}

function localesOf(element: AttributeElement, problems: RowProblem[]): AttributeElement['locales'] {
  const seen = new Set<string>();
  return element.locales?.map(({ locale, name }, index) => {
    const checked = checkAttributeName(name);
    if (typeof checked === 'object' && checked.code !== 'NAME_RESERVED') {
      problems.push({
        ...fieldInvalid(`locales[${index}].name`, `cannot be used: ${checked.message}`, name),
        code: localeCode(checked),
      });
    }
    if (seen.has(locale.toLowerCase()))
      problems.push(fieldInvalid(`locales[${index}].locale`, 'is named twice', locale));
    seen.add(locale.toLowerCase());
    return { locale, name: name.trim().normalize('NFC') };
  });
}

function localeCode({ code }: RowProblem): RowProblem['code'] {
  return code === 'INVALID_TEXT' ? code : 'FIELD_INVALID';
}

/** An empty text is no value, as everywhere in JSON. */
function draftOf(element: AttributeElement, locales: AttributeElement['locales']): AttributeDraft {
  const { validation } = element;
  return {
    type: element.type ?? undefined,
    description: emptyAsNull(element.description),
    textSubType: element.textSubType,
    optionsType: element.optionsType,
    options: element.options,
    serialStart: element.serialStart,
    format: emptyAsNull(element.format),
    locales: element.locales === null ? null : locales,
    validation: validation && {
      ...validation,
      contains: emptyAsNull(validation.contains),
      startWith: emptyAsNull(validation.startWith),
      pattern: emptyAsNull(validation.pattern),
      range: validation.range && { min: emptyAsNull(validation.range.min), max: emptyAsNull(validation.range.max) },
    },
  };
}

function emptyAsNull<T>(value: T): T | null {
  return value === '' ? null : value;
}

function given<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && value !== '';
}

/** An action in a file is refused, because a deletion would otherwise be executed and reported as an upsert. */
function actionInFile(action: string): RowProblem {
  return fieldInvalid('action', "is for bulk requests: the file's mode decides what its rows do; leave it out", action);
}

function typeRequired(): RowProblem {
  const message = 'the attribute has no type; every new attribute needs one';
  return { code: 'TYPE_REQUIRED', column: 'type', message };
}

function formulaNotSupported(): RowProblem {
  const message = 'formulas are not supported: leave the field out and send the values';
  return { code: 'FORMULA_NOT_SUPPORTED', column: 'formula', message };
}

// Checks the name of an attribute.

/** Control characters, line and paragraph separators: they are invisible in a header, and often end it. */
const NOT_PRINTED = /[\p{Cc}\u2028\u2029]/u;

/** The name as it is stored, trimmed and in NFC, or what is wrong with it. */
function checkAttributeName(given: string): string | RowProblem {
  const name = given.trim().normalize('NFC');
  if (name === '') return problem('NAME_REQUIRED', 'the attribute has no name; every attribute needs one', given);
  if (!isStorable(name) || NOT_PRINTED.test(name)) {
    return problem(
      'INVALID_TEXT',
      `the name ${quoted(name)} holds a control character or half of a surrogate pair: remove it`,
      given,
    );
  }
  const characters = characterCount(name);
  if (characters > MAX_NAME_CHARACTERS) {
    const message = `the name has ${characters} characters; at most ${MAX_NAME_CHARACTERS} are allowed`;
    return problem('FIELD_INVALID', message, given);
  }
  if (name.startsWith('_')) {
    const message = `the name ${quoted(name)} begins with "_", which marks columns that imports ignore: choose another`;
    return problem('NAME_RESERVED', message, given);
  }
  if (isReservedName(name)) {
    const message = `the name ${quoted(name)} is a fixed column of item files (${RESERVED_NAMES.join(', ')}): choose another`;
    return problem('NAME_RESERVED', message, given);
  }
  return name;
}

function problem(code: RowProblem['code'], message: string, given: string): RowProblem {
  return { code, column: 'name', message, value: quoted(given).slice(1, -1) };
}
