/** Finds the form of a number in a text, and what stands before and after it. */
import { affixKind, MINUS_BEHIND, withoutCents } from './affixes.js';
import { FORM } from './number-forms.js';

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const COMMA = 44;
const APOSTROPHE = 39;
const RIGHT_QUOTE = 0x2019;
const LARGE_E = 69;
const SMALL_E = 101;
/** Digits that a double holds exactly. */
const EXACT_DIGITS = 15;
/** Spreadsheets write numbers of 12 digits and more with an exponent; no code has more than these. */
const LEAST_ROUNDED = 10;
const MOST_ROUNDED = 20;
const GTIN_LENGTHS = new Set([8, 12, 13, 14]);
const PRINTED_MINUS = /[\u2212\u2012\u2013]/;
/** No unit or currency is longer. */
const MAX_AFFIX = 12;
/** A column has few affixes, but a column of codes has many. */
const MAX_KNOWN = 500;

/** What was found; reused for each cell. */
export class NumberReading {
  form = -1;
  /** A sign or code of a currency before the number, else ''. */
  prefix = '';
  /** A unit or currency after it, else ''. */
  suffix = '';
  /** Whether the minus before it is one of printing, which no import reads without a step: `–5`. */
  isMinusPrinted = false;
  /** What was found in the affixes before; null: no number has it. */
  readonly #prefixes = new Map<string, string | null>();
  readonly #suffixes = new Map<string, string | null>();

  /** Returns whether the text, which has digits and no blank ends, is a number, perhaps with an affix. */
  read(text: string): boolean {
    this.prefix = '';
    this.suffix = '';
    this.isMinusPrinted = false;
    let start = 0;
    let end = text.length;
    while (start < end && !isDigit(text.charCodeAt(start))) start += 1;
    while (end > start && !isDigit(text.charCodeAt(end - 1))) end -= 1;
    if (start === end || start > MAX_AFFIX || text.length - end > MAX_AFFIX) return false;
    // `.5` and `,5`
    const before = start > 0 ? text.charCodeAt(start - 1) : 0;
    const from = before === POINT || before === COMMA ? start - 1 : start;
    if (from > 0 && !this.#readPrefix(text.slice(0, from))) return false;
    if (end < text.length && !this.#readSuffix(text.slice(end))) return false;
    this.form = formOf(text, from, end);
    // A text of letters and digits that touch each other is a code, unless the letters are a unit.
    return this.form >= 0;
  }

  #readPrefix(text: string): boolean {
    const bare = remembered(this.#prefixes, text, bareOfPrefix);
    this.prefix = bare ?? '';
    this.isMinusPrinted = PRINTED_MINUS.test(text);
    return bare !== null;
  }

  #readSuffix(text: string): boolean {
    const bare = remembered(this.#suffixes, text, bareOfSuffix);
    this.suffix = bare ?? '';
    return bare !== null;
  }
}

function remembered(
  known: Map<string, string | null>,
  text: string,
  find: (text: string) => string | null,
): string | null {
  const before = known.get(text);
  if (before !== undefined) return before;
  const found = find(text);
  if (known.size < MAX_KNOWN) known.set(text, found);
  return found;
}

/** A sign, a currency, or both in either order. */
function bareOfPrefix(text: string): string | null {
  const bare = text.replace(/[-+\u2212\u2012\u2013]/, '').trim();
  return /[\d.,]/.test(bare) ? null : bare;
}

function bareOfSuffix(text: string): string | null {
  const bare = text.trim();
  if (bare === MINUS_BEHIND) return bare;
  // `12.` and `12-A` are none; `12,– €` is an amount without cents.
  if (/^[.,:]/.test(bare) && withoutCents(bare) !== bare) return affixKind(bare) === 'currency' ? bare : null;
  return /^[.,\-+]/.test(bare) ? null : bare;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** The form of the number that [from, end) is; -1: it is none. */
function formOf(text: string, from: number, end: number): number {
  let points = 0;
  let commas = 0;
  let blanks = 0;
  let apostrophes = 0;
  let lastSign = -1;
  let firstSign = -1;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) continue;
    if (code === POINT) points += 1;
    else if (code === COMMA) commas += 1;
    else if (code === APOSTROPHE || code === RIGHT_QUOTE) apostrophes += 1;
    else if (isBlank(code)) blanks += 1;
    else if (code === SMALL_E || code === LARGE_E) return exponentForm(text.slice(from, end));
    else return -1;
    if (firstSign < 0) firstSign = at;
    lastSign = at;
  }
  if (lastSign < 0) return digitsForm(text, from, end);
  if (blanks > 0 || apostrophes > 0) {
    if (blanks > 0 && apostrophes > 0) return -1;
    return groupedForm(text, from, end, { points, commas, lastSign, isBlank: blanks > 0 });
  }
  if (points > 0 && commas > 0) {
    const decimalIsComma = text.charCodeAt(lastSign) === COMMA;
    if ((decimalIsComma ? commas : points) !== 1) return -1;
    if (!inThousands(text, from, lastSign)) return -1;
    return decimalIsComma ? FORM.pointGroupsComma : FORM.commaGroupsPoint;
  }
  const isPoint = points > 0;
  if (points + commas > 1) {
    if (!inThousands(text, from, end)) return -1;
    return isPoint ? FORM.pointGroups : FORM.commaGroups;
  }
  const whole = lastSign - from;
  const mayBeThousands = end - lastSign === 4 && whole >= 1 && whole <= 3 && text.charCodeAt(from) !== ZERO;
  if (mayBeThousands) return isPoint ? FORM.pointEither : FORM.commaEither;
  // `0012.5`
  if (whole > 1 && text.charCodeAt(from) === ZERO) return -1;
  return isPoint ? FORM.pointDecimal : FORM.commaDecimal;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 0xa0 || code === 0x202f || code === 0x2009 || code === 0x2007;
}

function digitsForm(text: string, from: number, end: number): number {
  const length = end - from;
  if (length === 1) {
    const code = text.charCodeAt(from);
    return code === ZERO ? FORM.zero : code === ZERO + 1 ? FORM.one : FORM.plain;
  }
  if (GTIN_LENGTHS.has(length) && hasCheckDigit(text, from, end)) return FORM.gtin;
  if (text.charCodeAt(from) === ZERO) return FORM.leadingZeros;
  if (length === 8 && isDay(text, from)) return FORM.dayDigits;
  return length > EXACT_DIGITS ? FORM.long : FORM.plain;
}

function hasCheckDigit(text: string, from: number, end: number): boolean {
  let sum = 0;
  for (let at = end - 2, weight = 3; at >= from; at -= 1, weight = 4 - weight) sum += weight * digitAt(text, at);
  return (10 - (sum % 10)) % 10 === digitAt(text, end - 1);
}

function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}

function isDay(text: string, from: number): boolean {
  const year = Number(text.slice(from, from + 4));
  const month = Number(text.slice(from + 4, from + 6));
  const day = Number(text.slice(from + 6, from + 8));
  return year >= 1970 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

interface Groups {
  readonly points: number;
  readonly commas: number;
  readonly lastSign: number;
  readonly isBlank: boolean;
}

/** A number with blanks or apostrophes between its thousands. */
function groupedForm(
  text: string,
  from: number,
  end: number,
  { points, commas, lastSign, isBlank: blank }: Groups,
): number {
  if (points + commas > 1) return -1;
  const hasFraction = points + commas === 1;
  const last = text.charCodeAt(lastSign);
  if (hasFraction && last !== POINT && last !== COMMA) return -1;
  if (!inThousands(text, from, hasFraction ? lastSign : end)) return -1;
  if (!hasFraction) return blank ? FORM.blankGroups : FORM.apostropheGroups;
  if (commas > 0) return blank ? FORM.blankGroupsComma : FORM.apostropheGroupsComma;
  return blank ? FORM.blankGroupsPoint : FORM.apostropheGroupsPoint;
}

/** Whether each sign in [from, end) is the same and is followed by three digits, and one to three stand before the first. */
function inThousands(text: string, from: number, end: number): boolean {
  let sign = 0;
  let digits = 0;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      digits += 1;
      continue;
    }
    if (sign === 0 ? digits < 1 || digits > 3 : digits !== 3 || code !== sign) return false;
    sign = code;
    digits = 0;
  }
  return sign !== 0 && digits === 3 && text.charCodeAt(from) !== ZERO;
}

function exponentForm(text: string): number {
  const match = /^\d+(?:([.,])\d+)?e([-+]?)(\d{1,3})$/i.exec(text);
  if (match === null) return -1;
  const [, sign, direction, places] = match;
  // `1.5E7` is how some programs write a number, but `1E5` is a code: a spreadsheet that meets it makes a number of it.
  if (sign === undefined && direction === '') return -1;
  const isRounded = direction === '+' && Number(places) >= LEAST_ROUNDED && Number(places) <= MOST_ROUNDED;
  if (sign === undefined) return isRounded ? FORM.rounded : FORM.exponent;
  if (sign === '.') return isRounded ? FORM.roundedPoint : FORM.exponentPoint;
  return isRounded ? FORM.roundedComma : FORM.exponentComma;
}
