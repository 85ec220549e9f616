/** A condition on the value of one attribute: which operators there are, and what they are checked against. */
import type { AttributeDefinition } from '../catalog/attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../catalog/attribute-types.js';
import { compileAttribute } from '../catalog/compile-attribute.js';
import type { FilterOperator } from '../kernel/value-filter.js';
import type { PropertyCondition } from './export-spec.js';

/** A condition as a request gives it, its shape checked. */
export interface GivenCondition {
  readonly op: FilterOperator;
  readonly value?: unknown;
  readonly fromValue?: unknown;
  readonly toValue?: unknown;
}

/** What is wrong with a condition: the field at fault, and what to do. */
interface ConditionFault {
  readonly field: 'op' | 'value' | 'fromValue' | 'toValue';
  readonly message: string;
}

const MAX_LISTED_VALUES = 1000;

/** Checks a condition against the attribute that it is about. */
export function parseCondition(
  attribute: AttributeDefinition,
  given: GivenCondition,
): PropertyCondition | ConditionFault {
  const { op } = given;
  const { operators, comparison } = ATTRIBUTE_TYPES[attribute.type].filter(attribute);
  if (!operators.includes(op)) {
    const message = `${op} does not go with "${attribute.name}", which is ${attribute.type}: use ${operators.join(', ')}`;
    return { field: 'op', message };
  }
  const foreign = foreignField(given);
  if (foreign !== undefined) return foreign;
  const test = testOf(attribute, given);
  if ('message' in test) return test;
  return { attributeId: attribute.id, type: attribute.type, comparison, test };
}

/** A field that the operator has no use for would be a condition that is not heeded. */
function foreignField({ op, value, fromValue, toValue }: GivenCondition): ConditionFault | undefined {
  if (op === 'RANGE') {
    if (value === undefined) return undefined;
    return { field: 'value', message: 'RANGE takes "fromValue" and "toValue", or one of them' };
  }
  if (fromValue === undefined && toValue === undefined) return undefined;
  return { field: fromValue === undefined ? 'toValue' : 'fromValue', message: `${op} takes "value"` };
}

function testOf(attribute: AttributeDefinition, given: GivenCondition): PropertyCondition['test'] | ConditionFault {
  const { op, value } = given;
  switch (op) {
    case 'EXISTS':
      if (value !== undefined && typeof value !== 'boolean') return wrong('value', 'expected true, false, or nothing');
      return { op, exists: value ?? true };
    case 'CONTAINS':
      if (typeof value !== 'string' || value === '') return wrong('value', 'expected a text that is not empty');
      return { op, text: value };
    case 'EQUALS':
      return listed(attribute, 'IN', [value]);
    case 'IN':
    case 'NOT_IN':
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LISTED_VALUES) {
        return wrong('value', `expected a list of 1 to ${MAX_LISTED_VALUES} values`);
      }
      return listed(attribute, op, value);
    case 'GTE':
      return ranged(attribute, value, undefined, 'value');
    case 'LTE':
      return ranged(attribute, undefined, value, 'value');
    case 'RANGE':
      return ranged(attribute, given.fromValue, given.toValue);
  }
}

function listed(
  attribute: AttributeDefinition,
  op: 'IN' | 'NOT_IN',
  given: readonly unknown[],
): PropertyCondition['test'] | ConditionFault {
  const values: string[] = [];
  for (const value of given) {
    const canonical = canonicalValue(attribute, value);
    if (typeof canonical !== 'string') return wrong('value', canonical.message);
    values.push(canonical);
  }
  return { op, values };
}

/** @param named the field that a single end is given in */
function ranged(
  attribute: AttributeDefinition,
  from: unknown,
  to: unknown,
  named?: 'value',
): PropertyCondition['test'] | ConditionFault {
  if (from === undefined && to === undefined) {
    return wrong(named ?? 'fromValue', named === undefined ? 'expected "fromValue", "toValue" or both' : 'is missing');
  }
  const ends: { from?: string; to?: string } = {};
  for (const [end, given] of [['from', from] as const, ['to', to] as const]) {
    if (given === undefined) continue;
    const canonical = canonicalValue(attribute, given);
    if (typeof canonical !== 'string') return wrong(named ?? `${end}Value`, canonical.message);
    ends[end] = canonical;
  }
  return { op: 'RANGE', ...ends };
}

/** The value as the attribute's type writes it; its own rules (range, pattern) are no reason not to ask for it. */
function canonicalValue(attribute: AttributeDefinition, value: unknown): string | { readonly message: string } {
  if (value === undefined || value === null || value === '') {
    return { message: 'is missing; ask for items without a value by EXISTS with "value": false' };
  }
  const plain = compileAttribute({ ...attribute, validation: {} }, { decimalSeparator: '.' });
  const json = plain.fromJson(value);
  return typeof json === 'string' ? String(JSON.parse(json)) : { message: json.message };
}

function wrong(field: ConditionFault['field'], message: string): ConditionFault {
  return { field, message };
}
