/** Notes what is striking about rows while they are read: the warnings of a job are about those of them that are applied. */
import { OUTCOME, type Warnings } from '../../kernel/chunk-result.js';
import type { WarningCode } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';

/**
 * What is noted about a cell: a warning, or that the cell shows how another one was meant. A cell that is `CONTRARY` was
 * refused; only where an input has such cells are the ambiguous ones worth a warning.
 */
type NoteCode = Exclude<WarningCode, 'COLUMN_EMPTY'> | 'NUMBER_CONTRARY' | 'DATE_CONTRARY';

interface NotedCell {
  /** The text of the cell. */
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

// Collecting notes while rows are read.

/** Collects what is noted about the rows of one chunk. Notes of a row count once the row has been read to its end. */
export class RowNotes {
  readonly #lines = new Map<string, Line>();
  readonly #ofRow: { code: NoteCode; column: string; cell: () => NotedCell }[] = [];
  #filled = new Uint8Array(0);
  #columns: readonly (string | null)[] = [];

  /** Begins a row: what was noted about an unfinished one is dropped. */
  begin(): void {
    this.#ofRow.length = 0;
  }

  /** Notes something about a cell of the row. @param cell called when the row ends, if its line needs an example */
  note(code: NoteCode, column: string, cell: () => NotedCell): void {
    this.#ofRow.push({ code, column, cell });
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

  /** Adds the notes of another chunk, whose rows come later. */
  add(other: RowNotes): void {
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
    if (this.#lines.size === 0) return empty.length === 0 ? undefined : { noted: [], empty };
    const applied = new Set<number>();
    const failed = new Set<number>();
    for (const [index, row] of rows().entries()) {
      const outcome = outcomes[index];
      if (outcome === OUTCOME.created || outcome === OUTCOME.updated) applied.add(row);
      else if (outcome === OUTCOME.failed || outcome === OUTCOME.duplicate) failed.add(row);
    }
    const noted = [...this.#lines.values()].flatMap(({ code, column, rows: all, examples }) => {
      const counted = code.endsWith('_CONTRARY') ? failed : applied;
      const own = all.filter((row) => counted.has(row));
      return own.length === 0 ? [] : [{ code, column, rows: own, examples }];
    });
    return noted.length + empty.length === 0 ? undefined : { noted, empty };
  }
}

function say(code: NoteCode, { value, stored }: NotedCell): string {
  switch (code) {
    case 'NUMBER_AMBIGUOUS':
    case 'DATE_AMBIGUOUS':
      return `${quoted(value)} was read as ${stored}`;
    case 'VALUE_TRIMMED':
      return `${quoted(value)} was stored as ${stored}, without the blanks around it`;
    case 'TEXT_MISREAD':
      return `${quoted(value)} looks like text that was read in a wrong encoding: if it is, save the source as UTF-8, or name its encoding, and send it again`;
    case 'NUMBER_CONTRARY':
    case 'DATE_CONTRARY':
      return quoted(value);
  }
}

/** The part of warnings that is about rows from `first` on and before `beyond`, with the row numbers reduced by `less`. */
export function warningsWithin(warnings: Warnings, first: number, beyond: number, less = 0): Warnings | undefined {
  const noted = warnings.noted.flatMap((line) => {
    const rows = line.rows.filter((row) => row >= first && row < beyond);
    if (rows.length === 0) return [];
    const examples = line.examples.flatMap(([row, text]) =>
      row >= first && row < beyond ? [[row - less, text] as const] : [],
    );
    return [{ ...line, rows: rows.map((row) => row - less), examples }];
  });
  return noted.length === 0 ? undefined : { noted, empty: [] };
}

/** The warnings of two passes over the same rows, each of which applied others. */
export function joinedWarnings(first: Warnings | undefined, second: Warnings | undefined): Warnings | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const noted = [...first.noted];
  for (const line of second.noted) {
    const at = noted.findIndex(({ code, column }) => code === line.code && column === line.column);
    const known = noted[at];
    if (known === undefined) noted.push(line);
    else {
      const rows = [...known.rows, ...line.rows].sort((a, b) => a - b);
      noted[at] = { ...known, rows, examples: [...known.examples, ...line.examples] };
    }
  }
  return { noted, empty: first.empty };
}

// Texts that were read in a wrong encoding.

/** What the second byte of a character in UTF-8 looks like in windows-1252; without the closing quotes, which end words. */
const SECOND =
  '[\u00a0-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018\u201a\u201c\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]';

/**
 * The sign for what could not be read, control characters that other code pages leave behind, and UTF-8 that was read as
 * windows-1252: `GrÃ¼n`, `Â°`, `â€“`, and Cyrillic letters.
 */
const MISREAD = new RegExp(`[\ufffd\u0080-\u009f]|Ã${SECOND}|Â[\u00a0-\u00bf]|â(?:€|‚¬|„¢|ˆ)|ï»¿|(?:[ÐÑ]${SECOND}){2}`);

/** Whether a text looks like one of another encoding that was read wrongly. */
export function looksMisread(text: string): boolean {
  return MISREAD.test(text);
}
