/** Parses a condition on the value of one attribute, and checks it against the attribute's type. */
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { compileAttribute } from '../../catalog/compile-attribute.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import type { FilterOperator } from '../../kernel/value-filter.js';
import type { PropertyCondition } from '../model/export-spec.js';

/** A condition as a request gives it, with its shape checked. */
export interface GivenCondition {
  readonly op: FilterOperator;
  readonly value?: unknown;
  readonly fromValue?: unknown;
  readonly toValue?: unknown;
}

/** The problem of a condition: its field, and a message that says what to do. */
interface ConditionFault {
  readonly field: 'op' | 'value' | 'fromValue' | 'toValue';
  readonly message: string;
}

const MAX_LISTED_VALUES = 1000;

/** Checks a condition against its attribute. */
export function parseCondition(
  attribute: AttributeDefinition,
  given: GivenCondition,
): PropertyCondition | ConditionFault {
  const { op } = given;
  const { operators, comparison } = ATTRIBUTE_TYPES[attribute.type].filter(attribute);
  if (!operators.includes(op)) {
    const message = `${op} does not apply to "${attribute.name}", which is ${attribute.type}: use ${operators.join(', ')}`;
    return { field: 'op', message };
  }
  const foreign = foreignField(given);
  if (foreign !== undefined) return foreign;
  const test = testOf(attribute, given);
  if ('message' in test) return test;
  return { attributeId: attribute.id, type: attribute.type, comparison, test };
}

/** Finds a field that the operator does not use: ignoring it would silently drop a condition. */
function foreignField({ op, value, fromValue, toValue }: GivenCondition): ConditionFault | undefined {
  if (op === 'RANGE') {
    if (value === undefined) return undefined;
    return { field: 'value', message: 'RANGE accepts "fromValue" and "toValue", or one of them' };
  }
  if (fromValue === undefined && toValue === undefined) return undefined;
  return { field: fromValue === undefined ? 'toValue' : 'fromValue', message: `${op} accepts "value" only` };
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

/** The value in the canonical form of the attribute's type; the attribute's validation does not apply. */
function canonicalValue(attribute: AttributeDefinition, value: unknown): string | { readonly message: string } {
  if (value === undefined || value === null || value === '') {
    return { message: 'is missing; to find items without a value, use EXISTS with "value": false' };
  }
  const plain = compileAttribute({ ...attribute, validation: {} }, { decimalSeparator: '.' });
  const json = plain.fromJson(value);
  return typeof json === 'string' ? String(JSON.parse(json)) : { message: json.message };
}

function wrong(field: ConditionFault['field'], message: string): ConditionFault {
  return { field, message };
}
