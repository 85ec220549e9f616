/** Reads one element of a bulk attribute request, or the element that was made from a row of an attribute file. */

import { withoutAddedFields } from '../../formats/model/added-columns.js';
import { isId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson } from '../../kernel/value-problem.js';
import { plainNumbers } from '../../kernel/written-number.js';
import type { AttributeDraft } from '../types/attribute-draft.js';
import { explainIssues, type KnownFields } from '../types/explain-issues.js';
import { fieldInvalid } from '../types/field-invalid.js';
import type { AttributeAction, AttributeElement, AttributeInput } from './attribute-input.js';
import { attributeInputSchema } from './attribute-input.js';
import { checkAttributeName, given } from './check-attribute-name.js';
import { resolveDefinition } from './resolve-definition.js';

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
