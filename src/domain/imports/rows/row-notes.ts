/** Collects what is striking about rows while they are read. It counts if the rows are applied. */

import type { WarningCode } from '../../kernel/row-problem.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { Warnings } from '../../outcomes/model/warnings.js';

/**
 * What is noted about a cell: a warning, or that the cell shows how another one was meant. A cell that is `CONTRARY` was
 * refused; only where an input has such cells are the ambiguous ones worth a warning.
 */
type NoteCode =
  | Exclude<WarningCode, 'COLUMN_EMPTY' | 'COLUMN_NOT_MAPPED' | 'ROW_LEFT_OUT' | 'STAYS_AFTER_REVERT'>
  | 'NUMBER_CONTRARY'
  | 'DATE_CONTRARY';

interface NotedCell {
  /** The text of the cell, as messages quote it. */
  readonly value: string;
  /** What was made of it, as JSON. */
  readonly stored: string;
}

/** Rows in which the same was noted in the same column. */
interface Line {
  readonly code: NoteCode;
  readonly column: string;
  readonly rows: number[];
  readonly examples: [row: number, text: string][];
}

/** How many rows of a line have examples: that of the first that is applied is shown. */
const MAX_EXAMPLES = 20;

/** Collects what is noted about the rows of one chunk. Notes of a row count once the row has been read to its end. */
export class RowNotes {
  readonly #lines = new Map<string, Line>();
  readonly #ofRow: { code: NoteCode; column: string; cell: () => NotedCell }[] = [];
  #filled = new Uint8Array(0);
  #columns: readonly (string | null)[] = [];
  readonly #decided = new Set<string>();

  /** @param isDecided whether the job says how its numbers are written, so that no column leaves it open */
  constructor(readonly isDecided = false) {}

  /** Notes that a cell of the column can be read in one way only, which tells how the others are meant. */
  decide(column: string): void {
    this.#decided.add(column);
  }

  /** Begins a row: what was noted about an unfinished one is dropped. */
  begin(): void {
    if (this.#ofRow.length > 0) this.#ofRow.length = 0;
  }

  /** Notes something about a cell of the row. @param cell called when the row ends, if its line needs an example */
  note(code: NoteCode, column: string, cell: () => NotedCell): void {
    this.#ofRow.push({ code, column, cell });
  }

  /**
   * Notes the same in a further cell of a column, even if the row is not read to its end: it is not applied then.
   * @param line what `frequent` has returned for the column
   */
  noteAgain({ rows }: Line, row: number): void {
    if (rows[rows.length - 1] !== row) rows.push(row);
  }

  /** The line of a code in a column if it has examples enough, so that `noteAgain` suffices for its further rows. */
  frequent(code: NoteCode, column: string): Line | undefined {
    const line = this.#lines.get(`${code} ${column}`);
    return line !== undefined && line.examples.length >= MAX_EXAMPLES ? line : undefined;
  }

  /** Ends the row. */
  keep(row: number): void {
    if (this.#ofRow.length === 0) return;
    for (const { code, column, cell } of this.#ofRow) {
      const line = this.#lineOf(code, column);
      if (line.rows.at(-1) === row) continue;
      line.rows.push(row);
      if (line.examples.length < MAX_EXAMPLES) line.examples.push([row, say(code, cell())]);
    }
    this.#ofRow.length = 0;
  }

  #lineOf(code: NoteCode, column: string): Line {
    const key = `${code} ${column}`;
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line = { code, column, rows: [], examples: [] };
    this.#lines.set(key, line);
    return line;
  }

  /**
   * Watches which columns have values.
   * @param columns their names; null for columns that may be empty
   * @returns where to write 1 at the index of a column that has a value
   */
  watch(columns: readonly (string | null)[]): Uint8Array {
    this.#columns = columns;
    this.#filled = new Uint8Array(columns.length);
    return this.#filled;
  }

  /** 1 for each watched column in which a row has a value. */
  get filled(): Uint8Array {
    return this.#filled;
  }

  /** Whether each watched column has a value: then there is nothing more to see. */
  allFilled(): boolean {
    return this.#columns.every((name, index) => name === null || this.#filled[index] === 1);
  }

  /** Adds the notes of another chunk, whose rows come later. */
  add(other: RowNotes): void {
    for (const column of other.#decided) this.#decided.add(column);
    for (const { code, column, rows, examples } of other.#lines.values()) {
      const line = this.#lineOf(code, column);
      if (line.rows.length < MAX_EXAMPLES) line.examples.push(...examples);
      for (const row of rows) line.rows.push(row);
    }
  }

  /**
   * The warnings about the rows that were created or updated, and the columns without a value.
   * @param rows the numbers of the rows that were read; not asked for if nothing was noted
   * @param outcomes one letter for each row; `deferred` for those that the pass leaves alone
   */
  of(rows: () => readonly number[], outcomes: readonly string[]): Warnings | undefined {
    const empty = this.#columns.flatMap((name, index) => (name === null || this.#filled[index] === 1 ? [] : [name]));
    const decided = this.#decidedColumns();
    const nothing = empty.length + decided.length === 0;
    if (this.#lines.size === 0) return nothing ? undefined : { noted: [], empty, decided };
    const isWritten = (outcome: string) => outcome === OUTCOME.created || outcome === OUTCOME.updated;
    if (outcomes.every(isWritten)) {
      const lines = [...this.#lines.values()].filter(({ code }) => !code.endsWith('_CONTRARY'));
      return lines.length === 0 && nothing ? undefined : { noted: lines, empty, decided };
    }
    const isRefused = (outcome: string) => outcome === OUTCOME.failed || outcome === OUTCOME.duplicate;
    const counts = outcomes.some((outcome) => isWritten(outcome) || isRefused(outcome));
    if (!counts) return nothing ? undefined : { noted: [], empty, decided };
    const applied = new Set<number>();
    const failed = new Set<number>();
    rows().forEach((row, index) => {
      const outcome = outcomes[index] ?? '';
      if (isWritten(outcome)) applied.add(row);
      else if (isRefused(outcome)) failed.add(row);
    });
    const noted = [...this.#lines.values()].flatMap(({ code, column, rows: all, examples }) => {
      const counted = code.endsWith('_CONTRARY') ? failed : applied;
      const own = all.filter((row) => counted.has(row));
      return own.length === 0 ? [] : [{ code, column, rows: own, examples }];
    });
    return noted.length === 0 && nothing ? undefined : { noted, empty, decided };
  }

  #decidedColumns(): string[] {
    if (!this.isDecided) return [...this.#decided];
    return [...this.#lines.values()].flatMap(({ code, column }) => (code === 'NUMBER_AMBIGUOUS' ? [column] : []));
  }
}

function say(code: NoteCode, { value, stored }: NotedCell): string {
  switch (code) {
    case 'NUMBER_AMBIGUOUS':
    case 'DATE_AMBIGUOUS':
      return `${value} was read as ${stored}`;
    case 'VALUE_TRIMMED':
      return `${value} was stored as ${stored}, without the blanks around it`;
    case 'VALUE_IGNORED':
      return `${value} has no effect: this column of the format stands for nothing that attributes have here, and the rest of the row was applied`;
    case 'TEXT_MISREAD':
      return `${value} looks like text that was read in a wrong encoding: if it is, save the source as UTF-8, or name its encoding, and send it again`;
    case 'NUMBER_CONTRARY':
    case 'DATE_CONTRARY':
      return value;
  }
}
