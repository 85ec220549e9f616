/** Decides what a parsed attribute input does to a site's attributes. It is a pure function. */
import { isDeepStrictEqual } from 'node:util';
import { counted } from '../../kernel/counted.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import type { AttributeDefinition } from '../model/attribute-definition.js';
import type { AttributeDraft } from '../types/attribute-draft.js';
import { fieldInvalid } from '../types/field-invalid.js';
import type { AttributeInput } from './attribute-input.js';
import type { AttributeSet } from './attribute-set.js';
import { fieldsOfType, resolveDefinition } from './resolve-definition.js';

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
  if (input.action === 'INSERT') return [nameExists(existing, INSERT_CHANGES_NONE)];
  return changeOf(current, existing, input, facts);
}

/** An attribute as it is, and as it was before it was changed; undefined: it was not there. */
export interface FormerAttribute {
  readonly present: AttributeDefinition | undefined;
  readonly former: AttributeDefinition | undefined;
}

/**
 * Decides what gives an attribute back its former definition, which is not judged by rules that were added since.
 * @param others the attributes that have a name already
 * @returns undefined when there is nothing to do
 */
export function decideFormerAttribute(
  others: AttributeSet,
  { present, former }: FormerAttribute,
  usageOf: DecisionFacts['usageOf'],
): AttributeChange | RowProblem[] | undefined {
  if (former === undefined) {
    return present && deletion(present, { name: present.name, id: undefined }, { newId: () => '', usageOf });
  }
  const namesake = others.byName(former.name);
  if (namesake !== undefined) return [nameExists(namesake, 'rename that one first')];
  if (present === undefined) return { kind: 'create', definition: former };
  if (present.type !== former.type) {
    const usage = usageOf(present.id);
    if (usage > 0) return [typeInUse(present, former.type, usage)];
  }
  return { kind: 'update', definition: former, previous: present };
}

/** Which attribute a row is about, and what is to be done with it. */
export type AttributeIdentity = Pick<AttributeInput, 'action' | 'id' | 'name'>;

/** Why a row cannot be about the attribute that it names; null if it can. What else is wrong with the row does not matter. */
export function identityProblem(current: AttributeSet, identity: AttributeIdentity): RowProblem | null {
  const { action, id, name } = identity;
  const existing = id === undefined ? current.byName(name ?? '') : current.byId(id);
  if (action === 'INSERT') return existing === undefined ? null : nameExists(existing, INSERT_CHANGES_NONE);
  return existing === undefined && (action === 'UPDATE' || action === 'DELETE') ? notFound(current, identity) : null;
}

/**
 * The problem of a row as it is after all rows of a request, which are applied in their order: a later row may have
 * created the attribute that was not found, or removed the one that had the name.
 */
export function afterAllRows(current: AttributeSet, problem: RowProblem): RowProblem {
  const { code, column, value } = problem;
  if (value === undefined || (column !== 'name' && column !== 'id')) return problem;
  const existing = column === 'id' ? current.byId(value) : current.byName(value);
  if (code === 'ATTRIBUTE_NOT_FOUND' && existing !== undefined) {
    const message = `there was no attribute ${quoted(value)} yet when this row was applied, and a later row has created it: put that row first`;
    return { ...problem, message };
  }
  if (code === 'NAME_EXISTS' && existing === undefined) {
    const message = `an attribute called ${quoted(value)} existed when this row was applied, and a later row has removed or renamed it: put that row first`;
    return { ...problem, message };
  }
  return problem;
}

const INSERT_CHANGES_NONE = 'use the mode upsert or update to change it';

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
  { name, id }: Pick<AttributeInput, 'name' | 'id'>,
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
function merged(previous: AttributeDraft, draft: AttributeDraft): AttributeDraft {
  const before = withoutOtherList(previous, draft);
  const range = overlaid(before.validation?.range, draft.validation?.range);
  const validation = overlaid(before.validation, draft.validation);
  return { ...overlaid(before, draft), validation: validation && { ...validation, range: validation.range && range } };
}

/**
 * The previous fields without the list of values that the draft names under the other of its two names: `options` and
 * `validation.oneOf` are the same list of an OPTIONS attribute.
 */
function withoutOtherList(previous: AttributeDraft, draft: AttributeDraft): AttributeDraft {
  if (draft.options)
    return { ...previous, validation: previous.validation && { ...previous.validation, oneOf: undefined } };
  return draft.validation?.oneOf && draft.validation.oneOf.length > 0 ? { ...previous, options: undefined } : previous;
}

function overlaid<T extends object>(before: T | null | undefined, over: T | null | undefined): T | null | undefined {
  if (over === undefined) return before;
  if (over === null) return null;
  const named = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...before, ...(Object.fromEntries(named) as T) };
}

function notFound(current: AttributeSet, { id, name }: AttributeIdentity): RowProblem {
  if (id !== undefined) {
    return { code: 'ATTRIBUTE_NOT_FOUND', column: 'id', message: `there is no attribute with the id ${id}`, value: id };
  }
  const nearest = current.nearestTo(name ?? '');
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
  return `${counted(count, 'item')} ${count === 1 ? 'holds' : 'hold'}`;
}
