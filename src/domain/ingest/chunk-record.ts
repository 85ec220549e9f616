/** What a chunk is applied with, and what is kept of how that went: the same whether chunks commit alone or together. */
import type { Knex } from 'knex';
import type { JobChunk } from '../../../db/models/job-chunk.js';
import { type ChunkResult, countOutcomes, OUTCOME } from './chunk-result.js';
import type { ApplyContext, InputPlan, Reserved } from './ingest-kind.js';
import { recordFailures } from './job-errors.js';

/** @param guarded see ApplyContext */
export function contextOf(
  chunk: Pick<JobChunk, 'duplicates' | 'wave'>,
  plan: Pick<InputPlan, 'siteWasEmpty'>,
  reserved: Reserved,
  guarded: boolean,
): ApplyContext {
  return {
    duplicates: new Map(chunk.duplicates ?? []),
    siteWasEmpty: plan.siteWasEmpty,
    reserved,
    wave: chunk.wave === 0 ? 'first' : 'second',
    guarded,
  };
}

/**
 * Records a chunk's failures, outcomes and counts: it is done. One of the second wave keeps what its first wave said of
 * the other rows.
 * @returns whether rows of it were put off
 */
export async function recordChunk(
  trx: Knex.Transaction,
  chunk: Pick<JobChunk, 'job_id' | 'idx' | 'wave' | 'outcomes'>,
  result: ChunkResult,
): Promise<boolean> {
  await recordFailures(trx, chunk.job_id, result.failures);
  const before = chunk.wave === 0 ? '' : (chunk.outcomes ?? '');
  const outcomes = result.outcomes
    .map((outcome, index) => (chunk.wave === 0 || outcome !== OUTCOME.later ? outcome : (before[index] ?? outcome)))
    .join('');
  const counts = countOutcomes(outcomes);
  await trx('job_chunk').where({ job_id: chunk.job_id, idx: chunk.idx }).update({
    status: 'done',
    outcomes,
    created_count: counts.created,
    updated_count: counts.updated,
    unchanged_count: counts.unchanged,
    error_count: counts.failed,
    done_at: trx.fn.now(),
  });
  return outcomes.includes(OUTCOME.later);
}
