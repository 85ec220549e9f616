/** Decimals as text, exact at any length: their canonical form, and how they compare. */

/** The most digits before and after the point together; far fewer than Postgres numeric can store. */
export const MAX_DECIMAL_DIGITS = 1000;

/** A number of up to this many significant digits is printed by a double as it was written. */
const DOUBLE_DIGITS = 15;

export interface DecimalFault {
  /** `syntax`: not a decimal; `digits`: written without an exponent it has more than 1,000 digits. */
  readonly fault: 'syntax' | 'digits';
}
const NOT_A_DECIMAL: DecimalFault = { fault: 'syntax' };
const TOO_MANY_DIGITS: DecimalFault = { fault: 'digits' };

const ZERO = 48;
const NINE = 57;
/** A longer exponent exceeds the limit in any case. */
const MAX_EXPONENT_DIGITS = 9;

/**
 * Returns the canonical form of a decimal: `-12.5`, no plus sign, no needless zeros, no exponent, never `-0`.
 *
 * Accepts an optional sign, digits with or without a fraction (`.5` and `5.` too) and an exponent (`1.2E+5`).
 * Grouping is refused: any separator other than `separator` is a fault, so that `1.800,50` is never read as 1.8.
 */
export function canonicalDecimal(text: string, separator: '.' | ','): string | DecimalFault {
  const length = text.length;
  const sign = text.charCodeAt(0);
  const negative = sign === 45;
  let at = negative || sign === 43 ? 1 : 0;

  let wholeStart = at;
  at = afterDigits(text, at);
  const wholeEnd = at;
  const anyWhole = wholeEnd > wholeStart;
  while (wholeStart < wholeEnd && text.charCodeAt(wholeStart) === ZERO) wholeStart++;

  let fractionStart = at;
  let fractionEnd = at;
  if (at < length && text[at] === separator) {
    fractionStart = at + 1;
    at = afterDigits(text, fractionStart);
    fractionEnd = at;
  }
  if (!anyWhole && fractionEnd === fractionStart) return NOT_A_DECIMAL;
  while (fractionEnd > fractionStart && text.charCodeAt(fractionEnd - 1) === ZERO) fractionEnd--;

  const whole = text.slice(wholeStart, wholeEnd);
  const fraction = text.slice(fractionStart, fractionEnd);
  if (at === length) return written(negative, whole, fraction);

  const exponent = exponentAt(text, at);
  return exponent === undefined ? NOT_A_DECIMAL : shifted(negative, whole, fraction, exponent);
}

/** Behind so many digits an expression is faster than a loop, ten times as fast behind thousands. */
const LOOPED_DIGITS = 64;
const NO_DIGIT = /[^0-9]/g;

function afterDigits(text: string, from: number): number {
  const stop = Math.min(text.length, from + LOOPED_DIGITS);
  for (let at = from; at < stop; at++) {
    const unit = text.charCodeAt(at);
    if (unit < ZERO || unit > NINE) return at;
  }
  if (stop === text.length) return stop;
  NO_DIGIT.lastIndex = stop;
  return NO_DIGIT.exec(text)?.index ?? text.length;
}

/** Parses the rest of the text as an exponent; undefined when it is not one. */
function exponentAt(text: string, from: number): number | undefined {
  const match = /^[eE]([+-]?)0*([0-9]*)$/.exec(text.slice(from));
  if (!match || !/[0-9]$/.test(text)) return undefined;
  const digits = match[2] ?? '';
  const size = digits.length > MAX_EXPONENT_DIGITS ? 10 ** MAX_EXPONENT_DIGITS : Number(digits);
  return match[1] === '-' ? -size : size;
}

/** Moves the point by `exponent` places, after checking that the result does not exceed the limit of digits. */
function shifted(negative: boolean, whole: string, fraction: string, exponent: number): string | DecimalFault {
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const point = digits.length - fraction.length + exponent;
  if (Math.abs(point) > MAX_DECIMAL_DIGITS) return TOO_MANY_DIGITS;
  const padded = point <= 0 ? '0'.repeat(-point) + digits : digits.padEnd(point, '0');
  const split = Math.max(point, 0);
  return written(negative, padded.slice(0, split), padded.slice(split).replace(/0+$/, ''));
}

function written(negative: boolean, whole: string, fraction: string): string | DecimalFault {
  if (whole.length + fraction.length > MAX_DECIMAL_DIGITS) return TOO_MANY_DIGITS;
  if (fraction === '') {
    if (whole === '') return '0';
    return negative ? `-${whole}` : whole;
  }
  const head = whole === '' ? '0' : whole;
  return negative ? `-${head}.${fraction}` : `${head}.${fraction}`;
}

/** Whether a canonical decimal is preserved as a JSON number: a double prints the same digits. */
export function fitsDouble(canonical: string): boolean {
  const start = canonical.charCodeAt(0) === 45 ? 1 : 0;
  const length = canonical.length - start;
  // Below a millionth JavaScript prints an exponent.
  if (canonical.startsWith('0.000000', start)) return false;
  if (canonical.charCodeAt(start) === ZERO) return length <= DOUBLE_DIGITS + 2;
  const point = canonical.indexOf('.', start);
  return length <= (point < 0 ? DOUBLE_DIGITS : DOUBLE_DIGITS + 1);
}

/** Returns a negative number, zero or a positive number as canonical `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  const aNegative = a.startsWith('-');
  const bNegative = b.startsWith('-');
  if (aNegative !== bNegative) return aNegative ? -1 : 1;
  return aNegative ? compareMagnitudes(b.slice(1), a.slice(1)) : compareMagnitudes(a, b);
}

function compareMagnitudes(a: string, b: string): number {
  const [aWhole = '', aFraction = ''] = a.split('.');
  const [bWhole = '', bFraction = ''] = b.split('.');
  if (aWhole.length !== bWhole.length) return aWhole.length - bWhole.length;
  if (aWhole !== bWhole) return aWhole < bWhole ? -1 : 1;
  if (aFraction === bFraction) return 0;
  return aFraction < bFraction ? -1 : 1;
}
