/** The outcomes of the rows of one chunk, pass by pass. */
import type { RowProblem } from './row-problem.js';

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
export function countOutcomes(outcomes: Iterable<string>): ChunkCounts {
  let created = 0;
  let updated = 0;
  let unchanged = 0;
  let failed = 0;
  for (const outcome of outcomes) {
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
