/** What became of the rows of one chunk. */
import type { Dispatch } from '../../queues/outbox.js';
import type { RowProblem } from '../kernel/row-problem.js';

/** One letter a row, in row order. `later`: put off to another wave (waves.ts). */
export const OUTCOME = {
  created: 'c',
  updated: 'u',
  unchanged: 'n',
  deleted: 'x',
  failed: 'e',
  duplicate: 'd',
  later: '-',
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** A row that was not applied, and everything that is wrong with it. */
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
  /** What to enqueue once the transaction has committed: deliveries of events that tell of the rows. */
  readonly dispatches?: readonly Dispatch[];
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

/** The problem of a row whose key another row of the same job has too. */
export function duplicateProblem(column: string, standingRow: number, standing: 'first' | 'last'): RowProblem {
  const rule = standing === 'first' ? 'the first row with a key stands' : 'the last row with a key stands';
  return {
    code: 'SKU_DUPLICATE_IN_REQUEST',
    column,
    message: `the same key stands in row ${standingRow}, which was applied instead (${rule}); remove one of the two`,
  };
}
