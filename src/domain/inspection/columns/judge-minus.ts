/** Judges numbers with "-" behind them: negative ones as SAP writes them, or no numbers, as in sizes and ages. */
import { MINUS_BEHIND } from '../cells/affixes.js';
import { type Answer, likely } from '../model/answer.js';
import type { ColumnType } from '../model/column.js';
import type { CountedNumber, JudgedNumbers } from './judge-numbers.js';
import { inCell } from './sentences.js';

/** So many of the numbers of a column are hardly below zero. */
const MOST_NEGATIVE = 0.9;

/**
 * @param count of the numbers
 * @param value the type that the numbers have otherwise
 * @returns null when nobody has to look at it: no number has such a sign, or they are amounts
 */
export function judgeMinus(
  found: readonly CountedNumber[],
  count: number,
  value: ColumnType,
  { form, hasFraction, fractionIsOpen }: JudgedNumbers,
): Answer<ColumnType> | null {
  const behind = found.filter(({ trait }) => trait.suffix === MINUS_BEHIND);
  const [first] = behind;
  const areAmounts = hasFraction || fractionIsOpen || form.currency.length > 0 || (form.thousands.value ?? '') !== '';
  if (first === undefined || areAmounts) return null;
  const shown = `"-" behind, such as ${inCell(first.signature)}`;
  const share = behind.reduce((sum, { signature }) => sum + signature.count, 0) / count;
  return share >= MOST_NEGATIVE
    ? likely<ColumnType>(
        'text',
        `Nearly all numbers have ${shown}: they may be ages or sizes as well as numbers below zero.`,
        [value],
      )
    : likely<ColumnType>(value, `Some numbers have ${shown}, and are read as numbers below zero.`, ['text']);
}
