/** Reads and writes values of DECIMAL attributes, exactly: no digit is guessed, rounded or lost. */

import {
  canonicalDecimal,
  compareDecimals,
  type DecimalFault,
  fitsDouble,
  MAX_DECIMAL_DIGITS,
} from '../../kernel/exact-decimal.js';
import type { AttributeValidation } from '../attribute-definition.js';
import type { ValueCodec, ValueFormat } from './compiled-attribute.js';
import { describeJson, quoted, ValueProblem } from './value-problem.js';

type Separator = ValueFormat['decimalSeparator'];

/**
 * Files: decimals with the job's separator. JSON: a number, or text with a point where a double would lose digits.
 *
 * @throws Error when an end of the range is no decimal
 */
export function decimalValues(range: AttributeValidation['range'], separator: Separator): ValueCodec {
  const min = bound(range?.min);
  const max = bound(range?.max);

  function read(text: string, by: Separator, source: unknown): string | ValueProblem {
    const canonical = canonicalDecimal(text, by);
    if (typeof canonical !== 'string') return unreadable(canonical, source, by);
    const fits = fitsDouble(canonical);
    const value = fits ? Number(canonical) : Number.NaN;
    if (min !== undefined && isBeyond(canonical, value, min, -1))
      return outside(source, `below the least allowed, ${min.text}`);
    if (max !== undefined && isBeyond(canonical, value, max, 1))
      return outside(source, `above the greatest allowed, ${max.text}`);
    return fits ? canonical : `"${canonical}"`;
  }

  return {
    fromText: (text) => read(hasOuterSpace(text) ? text.trim() : text, separator, text),
    fromJson(value) {
      if (typeof value === 'string') return read(value, '.', value);
      if (typeof value !== 'number') return notNumber(value);
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? read(String(value), '.', value) : lostDigits(value);
    },
    toText(value) {
      const canonical = typeof value === 'number' ? canonicalDecimal(String(value), '.') : String(value ?? '');
      const text = typeof canonical === 'string' ? canonical : String(value);
      return separator === ',' ? text.replace('.', ',') : text;
    },
  };
}

/** One end of a range. */
interface Bound {
  readonly text: string;
  /** NaN where a double does not hold it. */
  readonly value: number;
}

/** Whether a decimal lies past an end. What doubles hold digit for digit they compare rightly, and many times faster. */
function isBeyond(canonical: string, value: number, end: Bound, direction: 1 | -1): boolean {
  const exact = !Number.isNaN(value) && !Number.isNaN(end.value);
  const order = exact ? value - end.value : compareDecimals(canonical, end.text);
  return order * direction > 0;
}

/** The canonical form of one end of a range. */
function bound(end: number | string | undefined): Bound | undefined {
  if (end === undefined) return undefined;
  const canonical = canonicalDecimal(String(end), '.');
  if (typeof canonical !== 'string') throw new Error(`the range's end ${quoted(end)} is no decimal`);
  return { text: canonical, value: fitsDouble(canonical) ? Number(canonical) : Number.NaN };
}

/** Cheaper than trimming each of millions of cells: what trim removes is a space, a control or not ASCII. */
function hasOuterSpace(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  const first = text.charCodeAt(0);
  return first <= 32 || last <= 32 || first >= 128 || last >= 128;
}

function unreadable({ fault }: DecimalFault, source: unknown, separator: Separator): ValueProblem {
  if (fault === 'digits') {
    const message = `${quoted(source)} has more than ${MAX_DECIMAL_DIGITS} digits when written out`;
    return new ValueProblem('VALUE_RANGE', message, source);
  }
  return new ValueProblem(
    'VALUE_TYPE',
    `${quoted(source)} is no decimal: ${advice(String(source), separator)}`,
    source,
  );
}

function advice(text: string, separator: Separator): string {
  const grouped = /^\s*[+-]?[0-9]+(?:[.,'’\s\u00a0\u202f][0-9]+)+\s*$/.test(text);
  const example = separator === ',' ? '1800,50' : '1800.50';
  if (!grouped) return `write it like ${example}`;
  return `its decimal separator is "${separator}" and thousands are not separated, so write it like ${example}`;
}

function notNumber(value: unknown): ValueProblem {
  return new ValueProblem(
    'VALUE_TYPE',
    `${describeJson(value)} is no number: write a number, or a decimal as text`,
    value,
  );
}

function lostDigits(value: number): ValueProblem {
  const message = `the number ${value} is past ±9007199254740991, where JSON numbers lose digits: send it as text`;
  return new ValueProblem('VALUE_RANGE', message, value);
}

function outside(source: unknown, where: string): ValueProblem {
  return new ValueProblem('VALUE_RANGE', `${quoted(source)} is ${where}`, source);
}
