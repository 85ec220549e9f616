/** What has to hold of a chunk that was applied, before it is recorded, and of the chunks that follow it. */
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { invariant } from '../../kernel/invariant.js';
import {
  afterWave,
  type ChunkResult,
  countOutcomes,
  countWaiting,
  OUTCOME,
  type Wave,
  waveOf,
} from '../chunk-result.js';

/** A chunk as it stood before: `outcomes` of the waves before this one. */
export type CheckedChunk = Pick<JobChunk, 'job_id' | 'idx' | 'wave' | 'outcomes' | 'row_count'>;

/**
 * Asserts that every row has exactly one outcome, that a wave decides only what was left to it, and that each row that
 * failed, and no other, says why.
 * @returns the outcomes of all waves so far, a letter a row
 * @throws InvariantViolation
 */
export function checkChunk(chunk: CheckedChunk, { outcomes, failures }: ChunkResult): string {
  const owner = `job ${chunk.job_id}, chunk ${chunk.idx}`;
  const rows = chunk.row_count;
  const wave = waveOf(chunk.wave, chunk.outcomes ?? '');
  invariant(outcomes.length === rows, owner, () => `${rows} rows have ${outcomes.length} outcomes`);
  invariant(wave.number === 0 || wave.before.length === rows, owner, () => `${wave.before.length} rows had outcomes`);
  invariant(isLeftAlone(wave, outcomes), owner, () => 'a row has an outcome of an earlier wave, and another');
  const made = afterWave(wave, outcomes);
  const { created, updated, unchanged, failed } = countOutcomes(made);
  const waiting = countWaiting(made);
  const counted = created + updated + unchanged + failed + waiting;
  invariant(counted === rows, owner, () => `${rows} rows are counted as ${counted}`);
  invariant(!wave.last || waiting === 0, owner, () => `${waiting} rows wait, and no wave follows`);
  const failedNow = countOutcomes(outcomes).failed;
  invariant(failures.length === failedNow, owner, () => `${failedNow} rows failed, and ${failures.length} say why`);
  return made;
}

function isLeftAlone({ number, before }: Wave, outcomes: readonly string[]): boolean {
  return number === 0 || outcomes.every((outcome, row) => outcome === OUTCOME.later || before[row] === OUTCOME.later);
}

/** Chunks that are on the queue. */
export interface Dispatched {
  readonly ofJob: number;
  readonly ofSite: number;
}

/**
 * Asserts that no more chunks were dispatched than the window has room for; one always may be.
 * @param before on the queue without them
 * @throws InvariantViolation
 */
export function checkWindow(jobId: string, before: Dispatched, dispatched: number, window: Dispatched): void {
  const fits = before.ofJob + dispatched <= window.ofJob && before.ofSite + dispatched <= window.ofSite;
  const besides = () =>
    `${dispatched} chunks were dispatched besides ${before.ofJob} of it and ${before.ofSite} of its site`;
  invariant(dispatched <= 1 || fits, `job ${jobId}`, besides);
}
