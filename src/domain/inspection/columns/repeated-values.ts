/** Keeps the first values of a column that occur again, with their rows. */
import { cut } from '../cells/signature.js';

const MOST_VALUES = 3;
const MOST_ROWS = 5;
/** After so many repetitions, what is not known yet is not looked for: a column of few words repeats them all the time. */
const MOST_LOOKS = 1_000;

export class RepeatedValues {
  /** Cells whose value an earlier cell has. */
  count = 0;
  readonly #rows = new Map<string, number[]>();

  /** @param first the row in which the value occurs first @param row in which it occurs again */
  add(text: string, first: number, row: number): void {
    this.count += 1;
    if (this.count > MOST_LOOKS) return;
    const known = this.#rows.get(text);
    if (known === undefined) {
      if (this.#rows.size < MOST_VALUES) this.#rows.set(text, [first, row]);
    } else if (known.length < MOST_ROWS) known.push(row);
  }

  examples(): { value: string; rows: number[] }[] {
    return [...this.#rows].map(([text, rows]) => ({ value: cut(text), rows }));
  }
}
