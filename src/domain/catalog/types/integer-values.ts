/** Reads and writes values of INTEGER and SERIAL attributes: whole numbers that a double holds exactly. */
import type { AttributeValidation } from '../attribute-definition.js';
import type { ValueCodec } from './compiled-attribute.js';
import { describeJson, quoted, ValueProblem } from './value-problem.js';

/** Written as it is stored, and surely safe. */
const CANONICAL = /^(?:0|-?[1-9][0-9]{0,14})$/;
const SIGNED_DIGITS = /^[+-]?[0-9]+$/;

/** The whole number that a text writes, with or without a sign; null: it writes none. */
export function integerFromText(text: string): number | null {
  const trimmed = text.trim();
  // Adding zero turns -0, which JSON would write as 0, into 0.
  return SIGNED_DIGITS.test(trimmed) ? Number(trimmed) + 0 : null;
}

/** @throws Error when an end of the range is no integer */
export function integerValues(range: AttributeValidation['range']): ValueCodec {
  const min = bound(range?.min);
  const max = bound(range?.max);
  const unbounded = min === undefined && max === undefined;

  function checked(value: number, source: unknown): string | ValueProblem {
    if (!Number.isSafeInteger(value)) return unsafe(source);
    if (min !== undefined && value < min) return outOfRange(source, `below the least allowed, ${min}`);
    if (max !== undefined && value > max) return outOfRange(source, `above the greatest allowed, ${max}`);
    return String(value);
  }

  return {
    fromText(text) {
      if (CANONICAL.test(text)) return unbounded ? text : checked(Number(text), text);
      const value = integerFromText(text);
      return value === null ? notWhole(text) : checked(value, text);
    },
    fromJson(value) {
      if (typeof value !== 'number') return notNumber(value);
      if (!Number.isFinite(value)) return unsafe(value);
      return Number.isInteger(value) ? checked(value, value) : notWhole(value);
    },
    toText: (value) => String(value ?? ''),
  };
}

function bound(end: number | string | undefined): number | undefined {
  if (end === undefined) return undefined;
  const value = typeof end === 'number' ? end : (integerFromText(end) ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw new Error(`the range's end ${quoted(end)} is no whole number`);
  return value;
}

function notWhole(source: unknown): ValueProblem {
  const message = `${quoted(source)} is no whole number: write digits only, without separators or decimals`;
  return new ValueProblem('VALUE_TYPE', message, source);
}

function notNumber(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is no number: write a whole number, unquoted`, value);
}

function unsafe(source: unknown): ValueProblem {
  const message = `${quoted(source)} is past ±9007199254740991, beyond which whole numbers lose digits: use a TEXT or DECIMAL attribute`;
  return new ValueProblem('VALUE_RANGE', message, source);
}

function outOfRange(source: unknown, where: string): ValueProblem {
  return new ValueProblem('VALUE_RANGE', `${quoted(source)} is ${where}`, source);
}
