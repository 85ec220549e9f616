/** Makes a definition of the fields that were given: checks each against the type, and brings values to one form. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { AttributeDefinition, AttributeType, AttributeValidation } from '../attribute-definition.js';
import { compileDateFormat } from '../types/date-format.js';
import { compilePattern } from '../types/pattern.js';
import type { AttributeDraft, GivenFields, GivenValidation } from './attribute-input.js';
import { fieldInvalid } from './field-problem.js';
import { settleRange, settleValues } from './settle-values.js';

type AttributeIdentity = Pick<AttributeDefinition, 'id' | 'name' | 'type' | 'position'>;

/** What belongs to one type only. Every other field belongs to all. */
const TYPES_OF_FIELD: { readonly [K in keyof GivenFields]?: readonly AttributeType[] } = {
  textSubType: ['TEXT'],
  optionsType: ['OPTIONS'],
  options: ['OPTIONS'],
  serialStart: ['SERIAL'],
  format: ['DATETIME'],
};
const TYPES_OF_RULE: { readonly [K in keyof GivenValidation]?: readonly AttributeType[] } = {
  contains: ['TEXT'],
  startWith: ['TEXT'],
  incrementBy: ['SERIAL'],
  range: ['INTEGER', 'DECIMAL', 'DATETIME'],
  oneOf: ['TEXT', 'INTEGER', 'DECIMAL', 'DATETIME'],
  pattern: ['TEXT'],
  maxLength: ['TEXT'],
};

/**
 * Defaults are written out, absent flags stay absent, and no field is undefined: two definitions that mean the same
 * are the same.
 *
 * @param draft null fields count as not given
 * @returns the definition, or every field that cannot be used
 */
export function settleDefinition(
  identity: AttributeIdentity,
  draft: AttributeDraft,
): AttributeDefinition | RowProblem[] {
  const { type } = identity;
  const problems = [
    ...misplaced(type, draft, TYPES_OF_FIELD, ''),
    ...misplaced(type, draft.validation ?? {}, TYPES_OF_RULE, 'validation.'),
  ];
  const validation = settleValidation(type, draft.validation ?? {}, problems);
  const definition: AttributeDefinition = { ...identity, ...settleFields(type, draft, problems), validation };
  return problems.length > 0 ? problems : definition;
}

/** The fields of a draft that a type has: what is left of a definition when its type changes. */
export function fieldsOfType(type: AttributeType, draft: AttributeDraft): AttributeDraft {
  const validation = draft.validation && onlyOf(type, draft.validation, TYPES_OF_RULE);
  return { ...onlyOf(type, draft, TYPES_OF_FIELD), validation };
}

type TypesByField = Readonly<Record<string, readonly AttributeType[] | undefined>>;

function onlyOf<T extends object>(type: AttributeType, fields: T, types: TypesByField): T {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => types[field]?.includes(type) ?? true)) as T;
}

function misplaced(type: AttributeType, fields: object, types: TypesByField, prefix: string): RowProblem[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const owners = types[field];
    if (!isGiven(value) || owners === undefined || owners.includes(type)) return [];
    return [
      fieldInvalid(
        `${prefix}${field}`,
        `belongs to ${owners.join(', ')} attributes; this one is ${type}: leave it out`,
      ),
    ];
  });
}

/** A list or range with nothing in it says nothing. */
function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isGiven);
  return value !== undefined && value !== null;
}

function settleFields(
  type: AttributeType,
  draft: AttributeDraft,
  problems: RowProblem[],
): Partial<AttributeDefinition> {
  const fields: Partial<AttributeDefinition> = {};
  if (draft.description) fields.description = draft.description;
  if (draft.locales && draft.locales.length > 0) fields.locales = draft.locales;
  if (type === 'TEXT') fields.textSubType = draft.textSubType ?? 'SMALL_TEXT';
  if (type === 'SERIAL') fields.serialStart = draft.serialStart ?? 1;
  if (type === 'DATETIME' && draft.format) {
    fields.format = draft.format;
    attempt(() => compileDateFormat(fields.format ?? ''), 'format', draft.format, problems);
  }
  if (type === 'OPTIONS') {
    fields.optionsType = draft.optionsType ?? 'TEXT';
    fields.options = settleValues('options', fields.optionsType, draft.options ?? [], problems);
    if (!isGiven(draft.options))
      problems.push(fieldInvalid('options', 'must name at least one value for an OPTIONS attribute'));
  }
  return fields;
}

function settleValidation(
  type: AttributeType,
  given: Partial<Record<keyof GivenValidation, unknown>> & NonNullable<AttributeDraft['validation']>,
  problems: RowProblem[],
): AttributeValidation {
  const validation: AttributeValidation = {};
  for (const flag of ['required', 'unique', 'inheritable'] as const) if (given[flag]) validation[flag] = true;
  if (type === 'TEXT') settleTextRules(given, validation, problems);
  if (type === 'SERIAL') validation.incrementBy = given.incrementBy ?? 1;
  if (type === 'INTEGER' || type === 'DECIMAL' || type === 'DATETIME') {
    const range = settleRange(type, given.range ?? {}, problems);
    if (range) validation.range = range;
  }
  if (given.oneOf && given.oneOf.length > 0 && TYPES_OF_RULE.oneOf?.includes(type)) {
    validation.oneOf = settleValues('validation.oneOf', type, given.oneOf, problems);
  }
  return validation;
}

function settleTextRules(
  given: NonNullable<AttributeDraft['validation']>,
  validation: AttributeValidation,
  problems: RowProblem[],
): void {
  const { contains, startWith, pattern, maxLength } = given;
  if (contains) validation.contains = contains;
  if (startWith) validation.startWith = startWith;
  if (maxLength) validation.maxLength = maxLength;
  if (!pattern) return;
  validation.pattern = pattern;
  attempt(() => compilePattern(pattern), 'validation.pattern', pattern, problems);
}

function attempt(compile: () => unknown, field: string, value: string, problems: RowProblem[]): void {
  try {
    compile();
  } catch (error) {
    problems.push(
      fieldInvalid(field, `cannot be used: ${error instanceof Error ? error.message : String(error)}`, value),
    );
  }
}
