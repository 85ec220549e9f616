/** Writes the numbers of a workbook as decimals, with the fewest digits that are exact. */
import { canonicalDecimal } from '../../../kernel/exact-decimal.js';

/** Numbers that already have their shortest form. */
const SHORTEST = /^(?:0|-?(?:[1-9][0-9]*|(?:0|[1-9][0-9]*)\.[0-9]*[1-9]))$/;
const SURELY_EXACT_CHARACTERS = 15;
const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** @returns null when the text is not a number. */
export function decimalOfNumber(text: string): string | null {
  if (text.length <= SURELY_EXACT_CHARACTERS && SHORTEST.test(text)) return text;
  const trimmed = text.trim();
  const value = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (Number.isFinite(value) && isWrittenInFull(trimmed, value)) {
    const written = canonicalDecimal(trimmed, '.');
    if (typeof written === 'string') return written;
  }
  // Adding 0 turns -0 into 0.
  return Number.isFinite(value) ? withoutExponent(String(value + 0)) : null;
}

/** The most digits that tell one double from every other. */
const DOUBLE_DIGITS = 17;

/**
 * Whether the digits are those of an exact number. Spreadsheets calculate with doubles, which they write with up to 17
 * digits (0.28999999999999998 is 0.29), and large ones with an exponent; other programs also write longer numbers.
 */
function isWrittenInFull(text: string, value: number): boolean {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '');
  if (digits.length > DOUBLE_DIGITS) return true;
  return /^[+-]?[0-9]+$/.test(text) && BigInt(text.replace('+', '')) !== BigInt(value);
}

function withoutExponent(text: string): string {
  const at = text.indexOf('e');
  if (at < 0) return text;
  const exponent = Number(text.slice(at + 1));
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = text.slice(sign.length, at).split('.');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(exponent, '0')}`;
}
