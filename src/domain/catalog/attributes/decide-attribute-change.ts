/** Decides what a parsed attribute input does to a site's attributes. It is a pure function. */
import { isDeepStrictEqual } from 'node:util';
import { nearestName } from '../../kernel/nearest-name.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import type { AttributeDefinition, AttributeTypeName, AttributeValidation } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES, typesWith } from '../attribute-types.js';
import type { AttributeDraft, ValidationDraft } from '../types/attribute-draft.js';
import type { AttributeType, TypeField, TypeRule } from '../types/attribute-type.js';
import { fieldInvalid } from '../types/field-problem.js';
import type { AttributeInput } from './attribute-input.js';
import type { AttributeSet } from './attribute-set.js';

export type AttributeChange =
  | { readonly kind: 'create' | 'unchanged' | 'delete'; readonly definition: AttributeDefinition }
  | { readonly kind: 'update'; readonly definition: AttributeDefinition; readonly previous: AttributeDefinition };

interface DecisionFacts {
  /** Called once for each attribute that is created. */
  newId(): string;
  /** How many items hold a value of an attribute. Called only for a deletion or a change of type. */
  usageOf(attributeId: string): number;
}

/**
 * The set is not changed: `applyAttributeChange` does that, before the next input is decided.
 *
 * @returns the change, or what is wrong; `column` of each problem names the field
 */
export function decideAttributeChange(
  current: AttributeSet,
  input: AttributeInput,
  facts: DecisionFacts,
): AttributeChange | RowProblem[] {
  const existing = find(current, input);
  if (Array.isArray(existing)) return existing;
  if (input.action === 'DELETE') return existing ? deletion(existing, input, facts) : [notFound(current, input)];
  if (existing === undefined)
    return input.action === 'UPDATE' ? [notFound(current, input)] : creation(current, input, facts);
  if (input.action === 'INSERT') return [nameExists(existing, 'use the mode upsert or update to change it')];
  return changeOf(current, existing, input, facts);
}

export function applyAttributeChange(current: AttributeSet, change: AttributeChange): void {
  if (change.kind === 'delete') current.remove(change.definition.id);
  else current.put(change.definition);
}

/** The attribute that an input names: by id, else by name. */
function find(current: AttributeSet, input: AttributeInput): AttributeDefinition | undefined | RowProblem[] {
  if (input.id === undefined) return input.name === undefined ? undefined : current.byName(input.name);
  const existing = current.byId(input.id);
  if (existing && input.action === 'DELETE' && input.name !== undefined && current.byName(input.name) !== existing) {
    return [
      fieldInvalid(
        'name',
        `is not the name of the attribute ${existing.id}, which is ${quoted(existing.name)}: send the id or the name`,
      ),
    ];
  }
  return existing;
}

function creation(
  current: AttributeSet,
  { name = '', draft }: AttributeInput,
  facts: DecisionFacts,
): AttributeChange | RowProblem[] {
  if (draft.type === undefined) {
    const message = `there is no attribute ${quoted(name)} yet, and a new one needs a type`;
    return [{ code: 'TYPE_REQUIRED', column: 'type', message }];
  }
  const identity = { id: facts.newId(), name, type: draft.type, position: current.nextPosition() };
  const definition = resolveDefinition(identity, draft);
  return Array.isArray(definition) ? definition : { kind: 'create', definition };
}

function deletion(
  existing: AttributeDefinition,
  { name, id }: AttributeInput,
  facts: DecisionFacts,
): AttributeChange | RowProblem[] {
  const usage = facts.usageOf(existing.id);
  if (usage === 0) return { kind: 'delete', definition: existing };
  const message = `${quoted(existing.name)} is in use: ${items(usage)} a value of it. Clear these first`;
  return [{ code: 'ATTRIBUTE_IN_USE', column: id === undefined ? 'name' : 'id', message, value: id ?? name ?? '' }];
}

/** CREATE replaces the whole definition, UPDATE and UPSERT the fields that they name. The id and the position stay. */
function changeOf(
  current: AttributeSet,
  existing: AttributeDefinition,
  input: AttributeInput,
  facts: DecisionFacts,
): AttributeChange | RowProblem[] {
  const name = input.name ?? existing.name;
  const namesake = current.byName(name);
  if (namesake && namesake.id !== existing.id) return [nameExists(namesake, 'choose another name')];
  const keepsType = input.possibleTypes?.includes(existing.type) ?? false;
  const type = keepsType ? existing.type : (input.draft.type ?? existing.type);
  const draft = input.action === 'CREATE' ? input.draft : merged(fieldsOfType(type, existing), input.draft);
  const definition = resolveDefinition({ id: existing.id, name, type, position: existing.position }, draft);
  if (Array.isArray(definition)) return definition;
  if (type !== existing.type) {
    const usage = facts.usageOf(existing.id);
    if (usage > 0) return [typeInUse(existing, type, usage)];
  }
  if (isDeepStrictEqual(definition, existing)) return { kind: 'unchanged', definition: existing };
  return { kind: 'update', definition, previous: existing };
}

/** The previous fields, replaced by those that the draft names; also inside `validation` and `range`. */
function merged(before: AttributeDraft, draft: AttributeDraft): AttributeDraft {
  const range = overlaid(before.validation?.range, draft.validation?.range);
  const validation = overlaid(before.validation, draft.validation);
  return { ...overlaid(before, draft), validation: validation && { ...validation, range: validation.range && range } };
}

function overlaid<T extends object>(before: T | null | undefined, over: T | null | undefined): T | null | undefined {
  if (over === undefined) return before;
  if (over === null) return null;
  const named = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...before, ...(Object.fromEntries(named) as T) };
}

function notFound(current: AttributeSet, { id, name }: AttributeInput): RowProblem {
  if (id !== undefined) {
    return { code: 'ATTRIBUTE_NOT_FOUND', column: 'id', message: `there is no attribute with the id ${id}`, value: id };
  }
  const nearest = nearestName(name ?? '', current.definitions(), (definition) => definition.name);
  const hint = nearest === undefined ? 'use CREATE to add it' : `did you mean ${quoted(nearest.name)}?`;
  const message = `there is no attribute called ${quoted(name)}: ${hint}`;
  return { code: 'ATTRIBUTE_NOT_FOUND', column: 'name', message, value: name ?? '' };
}

function nameExists(namesake: AttributeDefinition, advice: string): RowProblem {
  const message = `an attribute called ${quoted(namesake.name)} exists already: ${advice}`;
  return { code: 'NAME_EXISTS', column: 'name', message, value: namesake.name };
}

function typeInUse(existing: AttributeDefinition, type: string, usage: number): RowProblem {
  const message = `${quoted(existing.name)} is ${existing.type} and cannot become ${type}: ${items(usage)} a value of it. Clear these first`;
  return { code: 'TYPE_IN_USE', column: 'type', message, value: type };
}

function items(count: number): string {
  return count === 1 ? '1 item holds' : `${count} items hold`;
}

// Creates a definition from the given fields: checks each against the type, and converts values to canonical form.

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
function fieldsOfType(type: AttributeTypeName, draft: AttributeDraft): AttributeDraft {
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
