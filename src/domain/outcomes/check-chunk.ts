/** Invariants of a chunk that was applied, checked before it is recorded. */
import type { JobChunk } from '../../../db/models/job-chunk.js';
import { invariant } from '../kernel/invariant.js';
import { type ChunkResult, countOutcomes, OUTCOME } from './model/chunk-result.js';
import { afterPass, countWaiting, type Pass, passOf } from './model/passes.js';

/** A chunk before this pass: `outcomes` are those of the earlier passes. */
export type CheckedChunk = Pick<JobChunk, 'job_id' | 'idx' | 'wave' | 'outcomes' | 'row_count'>;

/**
 * Asserts that every row has exactly one outcome, that a pass decides deferred rows only, and that exactly the failed
 * rows have a reason.
 * @returns the outcomes of all passes so far, one letter per row
 * @throws InvariantViolation
 */
export function checkChunk(chunk: CheckedChunk, { outcomes, failures }: ChunkResult): string {
  const owner = `job ${chunk.job_id}, chunk ${chunk.idx}`;
  const rows = chunk.row_count;
  const pass = passOf(chunk.wave, chunk.outcomes ?? '');
  invariant(outcomes.length === rows, owner, () => `${rows} rows have ${outcomes.length} outcomes`);
  invariant(pass.number === 0 || pass.before.length === rows, owner, () => `${pass.before.length} rows had an outcome`);
  invariant(isLeftAlone(pass, outcomes), owner, () => 'a row has an outcome of an earlier pass, and another');
  const made = afterPass(pass, outcomes);
  const { created, updated, unchanged, failed } = countOutcomes(made);
  const waiting = countWaiting(made);
  const counted = created + updated + unchanged + failed + waiting;
  invariant(counted === rows, owner, () => `${rows} rows are counted as ${counted}`);
  invariant(!pass.last || waiting === 0, owner, () => `${waiting} rows are deferred, and no pass follows`);
  const failedNow = countOutcomes(outcomes).failed;
  invariant(
    failures.length === failedNow,
    owner,
    () => `${failedNow} rows failed, and ${failures.length} have a reason`,
  );
  return made;
}

function isLeftAlone({ number, before }: Pass, outcomes: readonly string[]): boolean {
  return (
    number === 0 || outcomes.every((outcome, row) => outcome === OUTCOME.deferred || before[row] === OUTCOME.deferred)
  );
}
