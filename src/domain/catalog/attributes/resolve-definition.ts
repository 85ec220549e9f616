/** Creates a definition from the given fields: checks each against the type, and converts values to canonical form. */
import type { RowProblem } from '../../kernel/row-problem.js';
import { ATTRIBUTE_TYPES, typesWith } from '../attribute-types.js';
import type { AttributeDefinition, AttributeTypeName, AttributeValidation } from '../model/attribute-definition.js';
import type { AttributeDraft, ValidationDraft } from '../types/attribute-draft.js';
import type { AttributeType, TypeField, TypeRule } from '../types/attribute-type.js';
import { fieldInvalid } from '../types/field-invalid.js';

type AttributeIdentity = Pick<AttributeDefinition, 'id' | 'name' | 'type' | 'position'>;

/**
 * Defaults are filled in, absent flags stay absent, and no field is undefined, so that definitions with the same
 * meaning are equal.
 *
 * @param draft null fields count as not given
 * @returns the definition, or every field that cannot be used
 */
export function resolveDefinition(
  identity: AttributeIdentity,
  draft: AttributeDraft,
): AttributeDefinition | RowProblem[] {
  const { type } = identity;
  const problems = [
    ...misplaced(type, draft, FIELDS, ''),
    ...misplaced(type, draft.validation ?? {}, RULES, 'validation.'),
  ];
  const { fields, rules } = ATTRIBUTE_TYPES[type].resolve(draft, problems);
  const validation = { ...flagsOf(draft.validation ?? {}), ...rules };
  const definition: AttributeDefinition = { ...identity, ...commonFields(draft), ...fields, validation };
  return problems.length > 0 ? problems : definition;
}

/** The fields of a draft that a type has: these remain when a definition changes its type. */
export function fieldsOfType(type: AttributeTypeName, draft: AttributeDraft): AttributeDraft {
  const validation = draft.validation && onlyOf(type, draft.validation, RULES);
  return { ...onlyOf(type, draft, FIELDS), validation };
}

/** Each part of a definition that only some types have, with these types. */
type TypesByPart = ReadonlyMap<string, readonly AttributeTypeName[]>;

const ALL_TYPES: readonly AttributeType[] = Object.values(ATTRIBUTE_TYPES);
const FIELDS = typesByPart(ALL_TYPES.flatMap(({ fields }) => fields));
const RULES = typesByPart(ALL_TYPES.flatMap(({ rules }) => rules));

function typesByPart(parts: readonly (TypeField | TypeRule)[]): TypesByPart {
  return new Map(parts.map((part) => [part, typesWith(part)]));
}

function onlyOf<T extends object>(type: AttributeTypeName, fields: T, types: TypesByPart): T {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => types.get(field)?.includes(type) ?? true)) as T;
}

function misplaced(type: AttributeTypeName, fields: object, types: TypesByPart, prefix: string): RowProblem[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const owners = types.get(field);
    if (!isGiven(value) || owners === undefined || owners.includes(type)) return [];
    return [
      fieldInvalid(
        `${prefix}${field}`,
        `belongs to ${owners.join(', ')} attributes; this one is ${type}: leave it out`,
      ),
    ];
  });
}

/** An empty list or range counts as not given. */
function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isGiven);
  return value !== undefined && value !== null;
}

function commonFields({ description, locales }: AttributeDraft): Partial<AttributeDefinition> {
  return { ...(description ? { description } : {}), ...(locales && locales.length > 0 ? { locales } : {}) };
}

function flagsOf(given: ValidationDraft): AttributeValidation {
  const flags: AttributeValidation = {};
  for (const flag of ['required', 'unique', 'inheritable'] as const) if (given[flag]) flags[flag] = true;
  return flags;
}
