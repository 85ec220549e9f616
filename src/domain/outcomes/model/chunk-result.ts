/** The outcomes of the rows of one chunk, and their counts. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { Warnings } from './warnings.js';

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
