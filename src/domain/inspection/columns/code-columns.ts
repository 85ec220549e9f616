/** Says whether the whole numbers of a column are codes rather than amounts, by what they look like and by its name. */
import { FORM } from '../cells/number-forms.js';
import type { NumberTrait } from '../cells/signature.js';
import type { CountedNumber } from './judge-numbers.js';

/** Few amounts have as many digits. */
const LEAST_DIGITS = 8;
const NAMES_A_CODE =
  /\b(?:ean|gtin|upc|isbn|issn|asin|mpn|sku|nr|no|id)\b|code|código|codigo|codice|nummer|артикул|(?:part|item|article|product|model|serial|order)[ _-]?number/iu;

/** @param whole the whole numbers of the column without those that a spreadsheet has rounded */
export function mayBeCodes(whole: readonly CountedNumber[], name: string): boolean {
  const all = whole.reduce((sum, { signature }) => sum + signature.count, 0);
  const long = whole.reduce(
    (sum, { signature, trait }) => sum + signature.count * longShare(trait, signature.examples),
    0,
  );
  // Where all are rounded, nothing says that they are amounts.
  return NAMES_A_CODE.test(name) || long * 2 >= all;
}

/** The share of codes, by the examples, of numbers that may be short or long. */
function longShare({ form }: NumberTrait, examples: readonly { readonly value: string }[]): number {
  if (form > FORM.plain) return 1;
  return examples.filter(({ value }) => value.length >= LEAST_DIGITS).length / Math.max(1, examples.length);
}
