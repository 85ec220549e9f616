/**
 * Reads and checks the values of DECIMAL attributes, whose separator may be one of thousands: `2.500` where other cells
 * say `12,50`.
 */
import type { DecimalFault } from '../../kernel/exact-decimal.js';
import { canonicalDecimal, compareDecimals, fitsDouble, MAX_DECIMAL_DIGITS } from '../../kernel/exact-decimal.js';
import { describeJson, outOfRange, quoted, ValueProblem } from '../../kernel/value-problem.js';
import { WrittenNumber } from '../../kernel/written-number.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import type { Doubt, ValueCodec, ValueFormat } from '../model/compiled-attribute.js';

type Separator = ValueFormat['decimalSeparator'];

const DOUBTS = { '.': doubtOf('.', ','), ',': doubtOf(',', '.') } as const;

function doubtOf(separator: Separator, other: Separator): Doubt {
  const own = `\\${separator}`;
  const otherOne = `\\${other}`;
  const ambiguous = new RegExp(`^\\s*[+-]?[1-9][0-9]{0,2}${own}[0-9]{3}\\s*$`);
  // Three digits behind the other separator may be thousands themselves, unless there are separators before it.
  const contrary = new RegExp(
    `^\\s*[+-]?(?:[0-9]+${otherOne}(?:[0-9]{1,2}|[0-9]{4,})|0${otherOne}[0-9]+|[0-9]{1,3}(?:${own}[0-9]{3})+${otherOne}[0-9]+|[0-9]{1,3}(?:${own}[0-9]{3}){2,})\\s*$`,
  );
  return {
    about: 'NUMBER',
    isAmbiguous: (text) => ambiguous.test(text),
    isDecisive: (text) => text.includes(separator) && !ambiguous.test(text),
    isContrary: (text) => contrary.test(text),
  };
}

/** The doubts about decimals of files that have the separator. */
export function decimalDoubt(separator: Separator): Doubt {
  return DOUBTS[separator];
}

/**
 * Reads decimals of files with the job's separator. JSON accepts a number, which is judged by its digits, or a text with
 * a point.
 *
 * @throws Error when a limit of the range is not a decimal
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
      return outOfRange(source, `below the minimum, ${min.text}`);
    if (max !== undefined && isBeyond(canonical, value, max, 1))
      return outOfRange(source, `above the maximum, ${max.text}`);
    return fits ? canonical : `"${canonical}"`;
  }

  return {
    fromText: (text) => read(hasOuterSpace(text) ? text.trim() : text, separator, text),
    fromJson(value) {
      if (typeof value === 'string') return read(value, '.', value);
      if (value instanceof WrittenNumber) return read(value.text, '.', value);
      if (typeof value !== 'number') return notNumber(value);
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? read(String(value), '.', value) : lostDigits(value);
    },
    toText(value) {
      const canonical = typeof value === 'number' ? canonicalDecimal(String(value), '.') : String(value ?? '');
      const text = typeof canonical === 'string' ? canonical : String(value);
      return separator === ',' ? text.replace('.', ',') : text;
    },
    doubt: DOUBTS[separator],
  };
}

/** Reads decimals without any rules. */
export const ANY_DECIMAL = decimalValues(undefined, '.');

/** One limit of a range. */
interface Bound {
  readonly text: string;
  /** NaN when a double cannot hold it exactly. */
  readonly value: number;
}

/**
 * Whether a decimal is beyond a limit. Numbers that doubles hold exactly are compared as doubles, which is much faster.
 */
function isBeyond(canonical: string, value: number, end: Bound, direction: 1 | -1): boolean {
  const exact = !Number.isNaN(value) && !Number.isNaN(end.value);
  const order = exact ? value - end.value : compareDecimals(canonical, end.text);
  return order * direction > 0;
}

/** The canonical form of one limit of a range. */
function bound(end: number | string | undefined): Bound | undefined {
  if (end === undefined) return undefined;
  const canonical = canonicalDecimal(String(end), '.');
  if (typeof canonical !== 'string') throw new Error(`the range's end ${quoted(end)} is not a decimal`);
  return { text: canonical, value: fitsDouble(canonical) ? Number(canonical) : Number.NaN };
}

/**
 * Whether trim may change the text: it removes only spaces, control characters and characters beyond ASCII. This check
 * is cheaper than trimming each of millions of cells.
 */
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
    `${quoted(source)} is not a decimal: ${advice(String(source), separator)}`,
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
    `${describeJson(value)} is not a number: write a number, or a decimal as text`,
    value,
  );
}

function lostDigits(value: number): ValueProblem {
  const message = `the number ${value} is beyond ±9007199254740991, where JSON numbers lose digits: send it as text`;
  return new ValueProblem('VALUE_RANGE', message, value);
}
