/** Judges whether the dates of a column are of another calendar, whose years look like far ones of this. */
import { type Answer, likely } from '../model/answer.js';
import type { ColumnType } from '../model/column.js';
import type { CountedDate } from './judge-dates.js';
import { inCell } from './sentences.js';

const NEARLY_ALL = 0.9;
/** Fewer are mistakes, or no end of something. */
const FEW = 0.05;

/**
 * @param count of the dates
 * @param value what they are in this calendar
 * @returns null when they are days of this one
 */
export function judgeCalendar(
  dates: readonly CountedDate[],
  count: number,
  value: ColumnType,
): Answer<ColumnType> | null {
  const others = dates.filter(({ trait }) => trait.isOtherCalendar);
  const [first] = others;
  const share = others.reduce((sum, { signature }) => sum + signature.count, 0) / count;
  if (first === undefined || share < FEW) return null;
  const shown = `such as ${inCell(first.signature)}`;
  // No program converts these years: they are kept as they are written.
  return share >= NEARLY_ALL
    ? likely<ColumnType>(
        'text',
        `The years are those of another calendar, ${shown}, and are kept as they are written.`,
        [value],
      )
    : likely<ColumnType>(value, `The values are dates, and some may be of another calendar, ${shown}.`, ['text']);
}
