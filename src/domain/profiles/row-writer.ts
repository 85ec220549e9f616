/**
 * Writes rows of ours in the form of a profile. Each row is read back by the rules before it is written: what does not come back is
 * left empty, which changes nothing when it is imported, and an item that would be changed nevertheless is left out.
 */

import { rowTest } from './apply/row-tests.js';
import { type WrittenContinuation, writtenContinuation } from './inverse/continued-rows.js';
import { compileProposals, type ProposeRow } from './inverse/propose-row.js';
import { type WrittenProfile, type WrittenRule, writtenRules } from './inverse/written-rules.js';
import { BETWEEN_VALUES } from './model/continued-rows.js';
import type { Profile } from './model/profile.js';

const CLEARED = 'NULL';

/** What could not be written, and the column of ours that it concerns. */
export interface WriteLoss {
  /**
   * `cell`: it is left empty; `item`: it is left out; `skipped`: it is left out as the profile says; `rest`: because what is
   * written of it would say something else alone.
   */
  readonly what: 'cell' | 'item' | 'skipped' | 'rest';
  /** The rule of the profile, by its place among those that fill a column; -1 for `skipped` and `rest`. */
  readonly rule: number;
}

interface RowWriterOptions {
  /** Which of the rules fills the key of the rows. */
  readonly key: number;
  /** Whether a text can stand in the file, in its encoding and between its delimiters. */
  readonly canWrite: (text: string) => boolean;
  /** Whether `NULL` clears the cells of a rule. */
  readonly clears: (rule: number) => boolean;
  /** Whether what an import reads of a row says nothing else without the cells that could not be written. Default: always */
  readonly standAlone?: ((read: readonly string[], cells: readonly string[]) => boolean) | undefined;
  readonly onLoss: (loss: WriteLoss) => void;
}

export class RowWriter {
  /** The columns of the file. */
  readonly header: readonly string[];
  readonly #rules: readonly WrittenRule[];
  readonly #keyPlaces: ReadonlySet<number>;
  readonly #continuation: WrittenContinuation | null;
  readonly #skips: (row: readonly string[]) => boolean;
  readonly #propose: ProposeRow;
  readonly #options: RowWriterOptions;

  constructor(profile: WrittenProfile, options: RowWriterOptions) {
    const written = writtenRules(profile);
    const { continuationRows } = profile;
    const continuation = continuationRows === undefined ? null : writtenContinuation(continuationRows, written);
    this.#continuation = continuation;
    this.header = written.header;
    this.#rules = written.rules;
    this.#keyPlaces = new Set(written.rules[options.key]?.places);
    this.#skips = compileSkip(profile.skipRowsWhen, written.placeOf);
    const { canWrite } = options;
    // Of values that stand in rows of their own, each has to be written.
    const canWriteAt = (text: string, place: number) =>
      continuation?.places.has(place) === true ? text.split(BETWEEN_VALUES).every(canWrite) : canWrite(text);
    this.#propose = compileProposals(written, canWriteAt, ({ index }) => options.clears(index));
    this.#options = options;
  }

  /**
   * @param cells those of the columns that the rules fill, in their order and as files of ours have them
   * @returns the row of the file; null when the item is left out
   */
  write(cells: readonly string[]): readonly string[] | null {
    const { key, standAlone, onLoss } = this.#options;
    const row = new Array<string>(this.header.length).fill('');
    this.#propose(cells, row);
    const wrong = this.#withoutContradictions(cells, row);
    const keyRule = this.#rules[key];
    const isKeyLost = keyRule !== undefined && keyRule.forward(row) !== cells[key];
    if (wrong !== null || isKeyLost) {
      onLoss({ what: 'item', rule: wrong ?? key });
      return null;
    }
    if (this.#skips(row) || this.#continuation?.continues(row) === true) {
      onLoss({ what: 'skipped', rule: -1 });
      return null;
    }
    if (standAlone !== undefined) {
      const read = this.#rules.map((rule) => rule.forward(row) ?? '');
      if (!standAlone(read, cells)) {
        onLoss({ what: 'rest', rule: -1 });
        return null;
      }
    }
    for (const rule of this.#rules) {
      if (cells[rule.index] !== '' && rule.forward(row) === '') onLoss({ what: 'cell', rule: rule.index });
    }
    return row;
  }

  /** The rows of the file that a written row is: those of its values that stand in rows of their own come behind it. */
  rowsOf(row: readonly string[]): readonly (readonly string[])[] {
    return this.#continuation?.divide(row) ?? [row];
  }

  /**
   * Empties the sources of rules that would make something else of the row than the item has. Each turn empties some, so that it ends.
   * @returns the rule that would still do so; null when there is none
   */
  #withoutContradictions(cells: readonly string[], row: string[]): number | null {
    for (;;) {
      let emptied = false;
      this.#continuation?.withoutLosses(row);
      for (const rule of this.#rules) {
        if (this.#leavesAsItIs(rule, cells[rule.index] ?? '', row)) continue;
        const places = rule.places.filter((place) => row[place] !== '' && !this.#keyPlaces.has(place));
        if (places.length === 0) return rule.index;
        for (const place of places) row[place] = '';
        emptied = true;
      }
      if (!emptied) return null;
    }
  }

  #leavesAsItIs(rule: WrittenRule, cell: string, row: readonly string[]): boolean {
    const read = rule.forward(row);
    return read === cell || read === '' || (cell === '' && read === CLEARED && this.#options.clears(rule.index));
  }
}

/** @param placeOf where a column is in a row @returns whether the profile leaves the row out */
function compileSkip(
  conditions: Profile['skipRowsWhen'],
  placeOf: (column: string) => number,
): (row: readonly string[]) => boolean {
  const tests = conditions.map((condition) => rowTest(condition, placeOf(condition.column)));
  return (row) => tests.some(({ at, holds }) => holds(row[at] ?? ''));
}
