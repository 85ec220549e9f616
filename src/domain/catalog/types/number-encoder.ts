/** The fast path of INTEGER and DECIMAL: encodes numbers from the bytes of a cell. */
import { MINUS, NINE, POINT, ZERO } from '../../kernel/characters.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import type { ByteEncoder } from '../model/compiled-attribute.js';
import { copyBytes, NOT_ENCODED } from './byte-encoder.js';

/** Integers with at most this many digits are safe, and doubles hold such decimals exactly. */
const MOST_DIGITS = 15;
/** With more decimals, a number below 1 could be printed with an exponent. */
const MOST_SMALL_DECIMALS = 6;

interface ExactRange {
  readonly min: number;
  readonly max: number;
}

/** The limits of a range as numbers; null when one is given as text and must be compared as text. */
export function exactRange(range: AttributeValidation['range']): ExactRange | null {
  const min = range?.min ?? Number.NEGATIVE_INFINITY;
  const max = range?.max ?? Number.POSITIVE_INFINITY;
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : null;
}

/** Accepts numbers in canonical form; a decimal may also end in zeros. */
export function numberEncoder({ min, max }: ExactRange, decimals: boolean): ByteEncoder {
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
    if (whole === 0 || whole > MOST_DIGITS || (whole > 1 && source[first] === ZERO)) return NOT_ENCODED;
    let last = index;
    let scale = 1;
    if (index < end) {
      if (!decimals || source[index] !== POINT || end - first - 1 > MOST_DIGITS || index + 1 === end)
        return NOT_ENCODED;
      let stop = end;
      while (source[stop - 1] === ZERO) stop--;
      for (index++; index < stop; index++) {
        const byte = source[index] as number;
        if (byte < ZERO || byte > NINE) return NOT_ENCODED;
        mantissa = mantissa * 10 + (byte - ZERO);
        scale *= 10;
        last = index + 1;
      }
      if (whole === 1 && source[first] === ZERO && stop - first - 2 > MOST_SMALL_DECIMALS) return NOT_ENCODED;
    }
    if (mantissa === 0 && negative) return NOT_ENCODED;
    const value = negative ? -mantissa / scale : mantissa / scale;
    if (value < min || value > max) return NOT_ENCODED;
    return copyBytes(source, start, last, target, at);
  };
}
