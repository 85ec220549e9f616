/** Resolves the conditions of a request on values of attributes. */
import type { ErrorProblem } from '../../kernel/errors.js';
import { areReversed, reversedMessage } from '../../kernel/reversed-bounds.js';
import type { PropertyCondition } from '../model/export-spec.js';
import { type KnownAttributes, unknownAttribute } from './known-attributes.js';
import { type GivenCondition, parseCondition } from './value-condition.js';

export function resolveProperty(
  given: GivenCondition & { attributeId?: string | undefined; name?: string | undefined },
  index: number,
  attributes: KnownAttributes,
  problems: ErrorProblem[],
): PropertyCondition | undefined {
  const path = `match.properties.${index}`;
  const { attributeId, name = '' } = given;
  const attribute = attributeId === undefined ? attributes.byName(name) : attributes.byId(attributeId);
  if (attribute === undefined) {
    const named = attributeId === undefined ? 'name' : 'attributeId';
    problems.push(unknownAttribute(`${path}.${named}`, attributeId ?? name, attributes.hints));
    return undefined;
  }
  const condition = parseCondition(attribute, given);
  if (!('message' in condition)) return condition;
  problems.push({ path: `${path}.${condition.field}`, code: 'VALUE_INVALID', message: condition.message });
  return undefined;
}

/** Finds conditions on one attribute, such as GTE 5 and LTE 3, that no value meets. Each condition is one of `given`. */
export function refuseCrossing(
  conditions: readonly PropertyCondition[],
  given: readonly GivenCondition[],
  problems: ErrorProblem[],
): void {
  for (const [index, lower] of conditions.entries()) {
    const { from } = boundsOf(lower);
    const upper = conditions.findIndex((other) => {
      const { to } = boundsOf(other);
      const isSame = other.attributeId === lower.attributeId;
      return isSame && from !== undefined && to !== undefined && areReversed(lower.comparison, from, to);
    });
    const [at, other] = [given[index], given[upper]];
    if (from === undefined || at === undefined || other === undefined) continue;
    const named = `match.properties.${upper}.${other.op === 'RANGE' ? 'toValue' : 'value'}`;
    const message = reversedMessage(from, upper === index ? 'toValue' : named, String(other.toValue ?? other.value));
    const field = at.op === 'RANGE' ? 'fromValue' : 'value';
    problems.push({ path: `match.properties.${index}.${field}`, code: 'VALUE_INVALID', message });
  }
}

function boundsOf({ test }: PropertyCondition): {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
} {
  return test.op === 'RANGE' ? test : {};
}
