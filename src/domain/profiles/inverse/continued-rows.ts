/** Divides a row whose cells hold several collected values: the others stand in rows that continue it. */
import { rowTest } from '../apply/row-tests.js';
import { BETWEEN_VALUES, type ContinuationRows } from '../model/continued-rows.js';
import type { WrittenRules } from './written-rules.js';

export interface WrittenContinuation {
  /** Where the columns are whose values are collected. */
  readonly places: ReadonlySet<number>;
  /** Whether a row would be read as one that continues another. */
  continues(row: readonly string[]): boolean;
  /** Empties cells whose values would not be collected again as they are. */
  withoutLosses(row: string[]): void;
  /** The row, and those that continue it. */
  divide(row: readonly string[]): readonly (readonly string[])[];
}

export function writtenContinuation(
  { when, same, collect }: ContinuationRows,
  { rules, placeOf }: WrittenRules,
): WrittenContinuation {
  const whenPlace = placeOf(when.column);
  const samePlace = same === undefined ? -1 : placeOf(same);
  const { holds } = rowTest(when, whenPlace);
  const mark = markOf(when);
  const places = collect.map(({ column }) => placeOf(column));
  // Where a rule has filled the column of the order, those without a number stand behind the one that has it.
  const orders = [...new Set(collect.flatMap(({ orderBy }) => (orderBy === undefined ? [] : placeOf(orderBy))))].filter(
    (place) => !rules.some((rule) => rule.places.includes(place)),
  );
  const valuesIn = (row: readonly string[], place: number) => {
    const text = row[place] ?? '';
    return text === '' ? [] : text.split(BETWEEN_VALUES);
  };
  return {
    places: new Set(places),
    continues: (row) => holds(row[whenPlace] ?? ''),
    withoutLosses: (row) => {
      const canContinue = mark !== null && (samePlace < 0 || (row[samePlace] ?? '').trim() !== '');
      for (const place of places) {
        const values = valuesIn(row, place);
        const isKept = values.every((value) => value !== '' && value === value.trim());
        if (!isKept || (values.length > 1 && !canContinue)) row[place] = '';
      }
    },
    divide: (row) => {
      const values = places.map((place) => valuesIn(row, place));
      const count = Math.max(1, ...values.map(({ length }) => length));
      if (values.every(({ length }) => length === 0)) return [row];
      return Array.from({ length: count }, (_, index) => {
        const written = index === 0 ? [...row] : new Array<string>(row.length).fill('');
        if (index > 0) {
          if (samePlace >= 0) written[samePlace] = row[samePlace] ?? '';
          written[whenPlace] = mark ?? '';
        }
        for (const [at, place] of places.entries()) written[place] = values[at]?.[index] ?? '';
        for (const place of orders) written[place] = String(index + 1);
        return written;
      });
    },
  };
}

/** What makes a row one that continues another; null: that an expression alone describes it. */
export function markOf({ is }: ContinuationRows['when']): string | null {
  return is === 'empty' ? '' : (is.equals?.find((text) => text.trim() !== '') ?? null);
}
