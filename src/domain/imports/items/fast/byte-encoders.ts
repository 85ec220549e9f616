/**
 * Values from the bytes of a cell straight into a document, without a string in between. An encoder takes only what is
 * plainly valid, and plain ASCII but for options; all else it leaves to the attribute's own reader, which is the judge.
 */
import type { AttributeDefinition } from '../../../catalog/attribute-definition.js';
import type { ValueFormat } from '../../../catalog/types/compiled-attribute.js';

/**
 * Writes the canonical JSON of the cell `source[start..end)` at `at`; the cell is not empty.
 * @returns where it ends in `target`, at most end - start + 2 bytes on; -1: not taken
 */
export type ByteEncoder = (source: Buffer, start: number, end: number, target: Buffer, at: number) => number;

const NOT_TAKEN = -1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** The longest text that surely is within the limit of all texts. */
const MOST_TEXT_BYTES = 20_000;
/** Integers of so many digits are safe, and decimals are what doubles hold. */
const MOST_DIGITS = 15;
/** Beyond these a small decimal is printed with an exponent. */
const MOST_SMALL_DECIMALS = 6;

/** The encoder of an attribute; null: all its values are for its own reader. */
export function byteEncoder(definition: AttributeDefinition, format: ValueFormat): ByteEncoder | null {
  const { type, validation } = definition;
  if (validation.oneOf !== undefined) return null;
  switch (type) {
    case 'TEXT': {
      const { pattern, contains, startWith, maxLength } = validation;
      if (pattern !== undefined || contains !== undefined || startWith !== undefined) return null;
      return textEncoder(Math.min(maxLength ?? MOST_TEXT_BYTES, MOST_TEXT_BYTES));
    }
    case 'INTEGER':
    case 'DECIMAL': {
      const range = exactRange(validation.range);
      if (range === null || (type === 'DECIMAL' && format.decimalSeparator !== '.')) return null;
      return numberEncoder(range, type === 'DECIMAL');
    }
    case 'BOOLEAN':
      return encodeBoolean;
    case 'DATETIME':
      if (definition.format !== undefined || format.dateFormat !== undefined) return null;
      return dayEncoder(validation.range);
    case 'OPTIONS':
      return optionEncoder(definition.options ?? []);
    case 'SERIAL':
      return null;
  }
}

function textEncoder(maxBytes: number): ByteEncoder {
  return (source, start, end, target, at) => {
    if (end - start > maxBytes || isNullCell(source, start, end)) return NOT_TAKEN;
    let next = at;
    target[next++] = QUOTE;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      if (byte < SPACE || byte >= DELETE || byte === QUOTE || byte === BACKSLASH) return NOT_TAKEN;
      target[next++] = byte;
    }
    target[next++] = QUOTE;
    return next;
  };
}

const NULL = Buffer.from('NULL');

/** `NULL` clears: that is not a value. */
function isNullCell(source: Buffer, start: number, end: number): boolean {
  return equals(source, start, end, NULL);
}

interface ExactRange {
  readonly min: number;
  readonly max: number;
}

/** Ends that a double holds as they are written; null: compare them as text. */
function exactRange(range: AttributeDefinition['validation']['range']): ExactRange | null {
  const min = range?.min ?? Number.NEGATIVE_INFINITY;
  const max = range?.max ?? Number.POSITIVE_INFINITY;
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : null;
}

/** Digits as a canonical number has them, but that a decimal may end in zeros. */
function numberEncoder({ min, max }: ExactRange, decimals: boolean): ByteEncoder {
  return (source, start, end, target, at) => {
    const negative = source[start] === MINUS;
    const first = negative ? start + 1 : start;
    let index = first;
    let mantissa = 0;
    for (; index < end; index++) {
      const byte = source[index] as number;
      if (byte < ZERO || byte > NINE) break;
      mantissa = mantissa * 10 + (byte - ZERO);
    }
    const whole = index - first;
    if (whole === 0 || whole > MOST_DIGITS || (whole > 1 && source[first] === ZERO)) return NOT_TAKEN;
    let last = index;
    let scale = 1;
    if (index < end) {
      if (!decimals || source[index] !== POINT || end - first - 1 > MOST_DIGITS || index + 1 === end) return NOT_TAKEN;
      let stop = end;
      while (source[stop - 1] === ZERO) stop--;
      for (index++; index < stop; index++) {
        const byte = source[index] as number;
        if (byte < ZERO || byte > NINE) return NOT_TAKEN;
        mantissa = mantissa * 10 + (byte - ZERO);
        scale *= 10;
        last = index + 1;
      }
      if (whole === 1 && source[first] === ZERO && stop - first - 2 > MOST_SMALL_DECIMALS) return NOT_TAKEN;
    }
    if (mantissa === 0 && negative) return NOT_TAKEN;
    const value = negative ? -mantissa / scale : mantissa / scale;
    if (value < min || value > max) return NOT_TAKEN;
    return copy(source, start, last, target, at);
  };
}

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

const encodeBoolean: ByteEncoder = (source, start, end, target, at) => {
  const word = end - start === 4 ? TRUE : FALSE;
  return equals(source, start, end, word) ? copy(source, start, end, target, at) : NOT_TAKEN;
};

/** The last day that each month has in every year. */
const LAST_DAYS = Uint8Array.of(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);

/** `YYYY-MM-DD`, a day that its month has in every year. */
function dayEncoder(range: AttributeDefinition['validation']['range']): ByteEncoder | null {
  const first = dayNumber(range?.min ?? '0001-01-01');
  const last = dayNumber(range?.max ?? '9999-12-31');
  if (first === null || last === null) return null;
  return (source, start, end, target, at) => {
    if (end - start !== 10 || source[start + 4] !== MINUS || source[start + 7] !== MINUS) return NOT_TAKEN;
    let digits = 0;
    for (let index = start; index < end; index++) {
      if (index === start + 4 || index === start + 7) continue;
      const byte = source[index] as number;
      if (byte < ZERO || byte > NINE) return NOT_TAKEN;
      digits = digits * 10 + (byte - ZERO);
    }
    const month = Math.floor(digits / 100) % 100;
    const day = digits % 100;
    if (digits < first || digits > last || month < 1 || month > 12) return NOT_TAKEN;
    if (day < 1 || day > (LAST_DAYS[month] as number)) return NOT_TAKEN;
    target[at] = QUOTE;
    const next = copy(source, start, end, target, at + 1);
    target[next] = QUOTE;
    return next + 1;
  };
}

/** A day as the number that its digits make, which orders as days do; null: an end that is no plain day. */
function dayNumber(end: string | number): number | null {
  return typeof end === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(end) ? Number(end.replaceAll('-', '')) : null;
}

/** Options may be other than ASCII: the bytes are compared, not looked into. */
function optionEncoder(options: readonly string[]): ByteEncoder {
  const lookup = new ByteMap<true>();
  for (const option of options) {
    // Without escapes, and so without a NUL or half a surrogate pair.
    if (option === '' || option === 'NULL' || JSON.stringify(option) !== `"${option}"`) continue;
    const bytes = Buffer.from(option);
    lookup.set(bytes, 0, bytes.length, true);
  }
  return (source, start, end, target, at) => {
    if (lookup.get(source, start, end) === undefined) return NOT_TAKEN;
    target[at] = QUOTE;
    const next = copy(source, start, end, target, at + 1);
    target[next] = QUOTE;
    return next + 1;
  };
}

function equals(source: Buffer, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false;
  for (let index = 0; index < word.length; index++) if (source[start + index] !== word[index]) return false;
  return true;
}

function copy(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let next = at;
  for (let index = start; index < end; index++) target[next++] = source[index] as number;
  return next;
}

/** A map whose keys are runs of bytes, looked up where they stand. */
export class ByteMap<V> {
  readonly #entries = new Map<number, { readonly key: Uint8Array; readonly value: V }>();

  get size(): number {
    return this.#entries.size;
  }

  get(source: Buffer, start: number, end: number): V | undefined {
    const entry = this.#entries.get(hashOf(source, start, end));
    return entry !== undefined && equals(source, start, end, entry.key) ? entry.value : undefined;
  }

  /** Of two keys with one hash the later stays: who asks for the other finds nothing, and asks elsewhere. */
  set(source: Buffer, start: number, end: number, value: V): void {
    this.#entries.set(hashOf(source, start, end), { key: Uint8Array.prototype.slice.call(source, start, end), value });
  }
}

function hashOf(source: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (source[index] as number), 0x01000193);
  return hash;
}
