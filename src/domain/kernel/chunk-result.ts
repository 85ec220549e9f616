/** The outcomes of the rows of one chunk, pass by pass, and what was noted about them. */
import type { RowProblem, WarningCode } from './row-problem.js';

/** One letter per row, in row order. `deferred`: left to another pass. */
export const OUTCOME = {
  created: 'c',
  updated: 'u',
  unchanged: 'n',
  deleted: 'x',
  failed: 'e',
  duplicate: 'd',
  deferred: '-',
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** A row that was not applied, with all its problems. */
export interface RowFailure {
  readonly row: number;
  /** The row's key, if it could be read. */
  readonly key: string | null;
  readonly problems: readonly RowProblem[];
}

export interface ChunkResult {
  readonly outcomes: Outcome[];
  /** In row order. */
  readonly failures: RowFailure[];
  readonly warnings?: Warnings | undefined;
}

/** What was noted about the rows of a chunk that were applied: see row-warning. */
export interface Warnings {
  readonly noted: readonly NotedRows[];
  /** The columns of a file in which no row of the chunk has a value. */
  readonly empty: readonly string[];
  /** The columns in which a number with a separator can be read in one way only, or whose separator is given. */
  readonly decided: readonly string[];
}

/** Rows of a chunk in which the same was noted in the same column, in order. */
interface NotedRows {
  readonly code: string;
  readonly column: string;
  readonly rows: readonly number[];
  /** What was noted in the first rows of the input that were read together: they need not be among these rows. */
  readonly examples: readonly (readonly [row: number, text: string])[];
}

export interface ChunkCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** Counts outcomes: duplicates count as failed, deletions as updated. */
export function countOutcomes(outcomes: ArrayLike<string>): ChunkCounts {
  let created = 0;
  let updated = 0;
  let unchanged = 0;
  let failed = 0;
  for (let index = 0; index < outcomes.length; index++) {
    const outcome = outcomes[index];
    if (outcome === OUTCOME.created) created++;
    else if (outcome === OUTCOME.updated || outcome === OUTCOME.deleted) updated++;
    else if (outcome === OUTCOME.unchanged) unchanged++;
    else if (outcome === OUTCOME.failed || outcome === OUTCOME.duplicate) failed++;
  }
  return { created, updated, unchanged, failed };
}

/**
 * The problem of a superseded row: another row of the same job has the same key. Whether that row is applied is not
 * known yet, so the message does not say so.
 */
export function duplicateProblem(column: string, winningRow: number, winner: 'first' | 'last'): RowProblem {
  const place = winner === 'first' ? 'comes first' : 'comes later';
  const message = `row ${winningRow} has the same key and ${place}, and the ${winner} row with a key wins; remove one of the two rows`;
  return { code: 'SKU_DUPLICATE_IN_REQUEST', column, message, winningRow };
}

/** What a row of a retry would overwrite: somebody has changed it since the retried job had ended. */
export interface LaterChange {
  readonly at: Date;
  readonly how: 'changed' | 'deleted';
}

/** The problem of a row of a retry that is older than what it would change. @param jobId of the retried job */
export function outdatedProblem(
  what: 'item' | 'attribute' | 'category',
  { at, how }: LaterChange,
  jobId = '',
): RowProblem {
  const message = `the ${what} was ${how} at ${at.toISOString()}, after job ${jobId} had ended, and this row is older; leave it as it is, or retry the job with "force": true to apply the row all the same`;
  return { code: 'ROW_SUPERSEDED', column: null, message };
}

/** The message of a superseded row whose winning row failed. `{row}` stands for that row, `{place}` for where it is. */
export const WINNER_FAILED =
  'row {row} has the same key and comes {place}; it failed, so nothing of either was applied; correct row {row}, or remove it';

/** The failures of all rows of a job, where each superseded row says so if its winning row failed. */
export function explainSuperseded(failures: readonly RowFailure[]): RowFailure[] {
  const failed = new Set(failures.map(({ row }) => row));
  return failures.map((failure) => {
    const [problem] = failure.problems;
    const winner = problem?.winningRow;
    if (problem === undefined || winner === undefined || !failed.has(winner)) return failure;
    const place = winner > failure.row ? 'later' : 'first';
    const message = WINNER_FAILED.replaceAll('{row}', String(winner)).replace('{place}', place);
    return { ...failure, problems: [{ ...problem, message }] };
  });
}

/*
 * The passes of a job: rows that refer to other rows of the same input are deferred until those have been applied.
 *
 * The first pass applies the rows that refer to no other, in any order. Each pass after it goes through the deferred
 * rows in the order of the input; a row that refers to a row not yet applied is deferred to another pass. When few rows
 * remain, or a pass has applied nothing, the last pass takes the remaining rows as a set: it applies what can be applied
 * together, and records for each other row why it cannot be applied.
 */

/** One pass over the rows. */
export interface Pass {
  /** 0 is the first pass. */
  readonly number: number;
  /** The outcomes of the earlier passes for these rows, one letter per row; empty in the first pass. */
  readonly before: string;
  /** No pass follows, so no row can be deferred. */
  readonly last: boolean;
}

export const FIRST_PASS: Pass = { number: 0, before: '', last: false };

/** The number of the last pass, however many passes precede it. */
const LAST = 100;
/** The most rows that the last pass takes as one set, which is in memory as a whole. Further rows are another set. */
export const MOST_ROWS_OF_A_SET = 20_000;
/**
 * The most passes after the first while rows are still being applied. Bundles are not nested deeper than this (see
 * MOST_LEVELS), so a row that is deferred even then can never be applied.
 */
const MAX_PASSES = 12;

/** @param before the outcomes of the earlier passes */
export function passOf(number: number, before: string): Pass {
  return { number, before, last: number === LAST };
}

/**
 * Returns the number of the pass that follows; null when none does.
 * @param waitedBefore rows that were deferred when the pass `number` began
 * @param waiting rows that are deferred after it
 */
export function nextPass(number: number, waitedBefore: number, waiting: number): number | null {
  if (waiting === 0 || number === LAST) return null;
  if (number === 0) return 1;
  // A set is resolved whatever the order of its rows, so that further passes would only read them once more.
  if (waiting <= MOST_ROWS_OF_A_SET) return LAST;
  return waiting === waitedBefore || number >= MAX_PASSES ? LAST : number + 1;
}

/** Counts the deferred rows. */
export function countWaiting(outcomes: Iterable<string>): number {
  let waiting = 0;
  for (const outcome of outcomes) if (outcome === OUTCOME.deferred) waiting++;
  return waiting;
}

/** Merges the outcomes of a pass into those of the earlier passes: a row that it deferred keeps its earlier outcome. */
export function afterPass({ number, before }: Pass, outcomes: readonly string[]): string {
  if (number === 0) return outcomes.join('');
  return outcomes
    .map((outcome, index) => (outcome === OUTCOME.deferred ? (before[index] ?? outcome) : outcome))
    .join('');
}

// Warnings: what is striking about rows is noted while they are read, and counts if they are applied.

/**
 * What is noted about a cell: a warning, or that the cell shows how another one was meant. A cell that is `CONTRARY` was
 * refused; only where an input has such cells are the ambiguous ones worth a warning.
 */
type NoteCode = Exclude<WarningCode, 'COLUMN_EMPTY'> | 'NUMBER_CONTRARY' | 'DATE_CONTRARY';

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

// Collecting notes while rows are read.

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
    const applied = new Set<number>();
    const failed = new Set<number>();
    for (const [index, row] of rows().entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && isWritten(outcome)) applied.add(row);
      else if (outcome === OUTCOME.failed || outcome === OUTCOME.duplicate) failed.add(row);
    }
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
  return noted.length === 0 ? undefined : { noted, empty: [], decided: warnings.decided };
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
  return { noted, empty: first.empty, decided: [...new Set([...first.decided, ...second.decided])] };
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
  // Most texts are ASCII, of which this loop is the cheaper test.
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return MISREAD.test(text);
  return false;
}
