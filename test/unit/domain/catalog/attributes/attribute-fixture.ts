/** Attributes and values for the tests of this folder. */
import assert from 'node:assert/strict';
import { compileAttribute } from '../../../../../src/domain/catalog/compile-attribute.js';
import type {
  AttributeDefinition,
  AttributeTypeName,
} from '../../../../../src/domain/catalog/model/attribute-definition.js';
import type { CompiledAttribute, ValueFormat } from '../../../../../src/domain/catalog/model/compiled-attribute.js';
import type { RowCode, RowProblem } from '../../../../../src/domain/kernel/row-problem.js';
import type { ValueProblem } from '../../../../../src/domain/kernel/value-problem.js';

export const ATTRIBUTE_ID = '65a1b2c3d4e5f60718293a4b';

export function definitionOf(type: AttributeTypeName, fields: Partial<AttributeDefinition> = {}): AttributeDefinition {
  return { id: ATTRIBUTE_ID, name: 'Test', type, position: 1, validation: {}, ...fields };
}

export function compiled(
  type: AttributeTypeName,
  fields: Partial<AttributeDefinition> = {},
  format: Partial<ValueFormat> = {},
): CompiledAttribute {
  return compileAttribute(definitionOf(type, fields), { decimalSeparator: '.', ...format });
}

export function assertRefused(result: string | ValueProblem, code: RowCode, message?: RegExp): void {
  if (typeof result === 'string') assert.fail(`taken as ${result}, expected ${code}`);
  assert.equal(result.code, code, result.message);
  if (message) assert.match(result.message, message);
}

/** A result without problems. */
export function accepted<T extends object>(result: T | RowProblem[]): T {
  if (Array.isArray(result)) assert.fail(result.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return result;
}

/** `CODE column` of each problem of a result. */
export function problemsOf(result: object | RowProblem[]): string[] {
  return Array.isArray(result) ? result.map(({ code, column }) => `${code} ${column}`) : [];
}
