/** Brings the values inside a definition (options, oneOf, the ends of a range) to the form in which items hold them. */

import { canonicalDecimal, compareDecimals } from '../../kernel/exact-decimal.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { AttributeType, AttributeValidation } from '../attribute-definition.js';
import type { ValueCodec } from '../types/compiled-attribute.js';
import { compareDates, datetimeValues } from '../types/datetime-values.js';
import { decimalValues } from '../types/decimal-values.js';
import { integerValues } from '../types/integer-values.js';
import { textValues } from '../types/text-values.js';
import { quoted, ValueProblem } from '../types/value-problem.js';
import type { GivenValidation } from './attribute-input.js';
import { fieldInvalid } from './field-problem.js';

type Given = string | number;

const CODECS: Readonly<Partial<Record<AttributeType, ValueCodec>>> = {
  TEXT: textValues({}),
  INTEGER: integerValues(undefined),
  DECIMAL: decimalValues(undefined, '.'),
  DATETIME: datetimeValues({ id: '', name: '', type: 'DATETIME', position: 0, validation: {} }, undefined),
};

/** The values as canonical text, each once. */
export function settleValues(
  field: string,
  type: AttributeType,
  given: readonly Given[],
  problems: RowProblem[],
): string[] {
  const seen = new Set<string>();
  return given.map((value, index) => {
    const at = `${field}[${index}]`;
    const canonical = canonicalValue(type, value);
    if (canonical instanceof ValueProblem) {
      problems.push(fieldInvalid(at, `cannot be used: ${canonical.message}`, value));
      return String(value);
    }
    const text = String(canonical);
    if (text === '') problems.push(fieldInvalid(at, 'is empty: an item cannot hold an empty text'));
    else if (seen.has(text)) problems.push(fieldInvalid(at, `repeats ${quoted(text)}: name each value once`, value));
    seen.add(text);
    return text;
  });
}

/** Undefined when the range has no ends. */
export function settleRange(
  type: 'INTEGER' | 'DECIMAL' | 'DATETIME',
  given: NonNullable<GivenValidation['range']>,
  problems: RowProblem[],
): AttributeValidation['range'] {
  const min = settleEnd(type, 'min', given.min, problems);
  const max = settleEnd(type, 'max', given.max, problems);
  if (min !== undefined && max !== undefined && isAbove(type, min, max)) {
    problems.push(fieldInvalid('validation.range', `allows nothing: min ${min} is greater than max ${max}`));
  }
  if (min === undefined && max === undefined) return undefined;
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function settleEnd(
  type: AttributeType,
  end: 'min' | 'max',
  given: Given | null | undefined,
  problems: RowProblem[],
): Given | undefined {
  if (given === null || given === undefined) return undefined;
  const canonical = canonicalValue(type, given);
  if (!(canonical instanceof ValueProblem)) return canonical;
  problems.push(fieldInvalid(`validation.range.${end}`, `cannot be used: ${canonical.message}`, given));
  return undefined;
}

/** Whole numbers may be given as text here: files have nothing else. */
function canonicalValue(type: AttributeType, given: Given): Given | ValueProblem {
  const codec = CODECS[type];
  if (codec === undefined) throw new Error(`a ${type} attribute has no values of its own to list`);
  const json = type === 'INTEGER' && typeof given === 'string' ? codec.fromText(given) : codec.fromJson(given);
  return typeof json === 'string' ? (JSON.parse(json) as Given) : json;
}

function isAbove(type: AttributeType, min: Given, max: Given): boolean {
  if (type === 'DATETIME') return compareDates(String(min), String(max)) > 0;
  const [least, greatest] = [canonicalDecimal(String(min), '.'), canonicalDecimal(String(max), '.')];
  return typeof least === 'string' && typeof greatest === 'string' && compareDecimals(least, greatest) > 0;
}
