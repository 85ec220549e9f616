/** What a chunk is applied with, and what is kept of how that went: the same whether chunks commit alone or together. */
import type { Knex } from 'knex';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { type ChunkResult, countOutcomes } from '../../jobs/chunk-result.js';
import { recordFailures } from '../../jobs/job-errors.js';
import { afterWave, countWaiting, waveOf } from '../../jobs/waves.js';
import type { ApplyContext, InputPlan, Reserved } from './ingest-kind.js';

/** @param guarded see ApplyContext */
export function contextOf(
  chunk: Pick<JobChunk, 'job_id' | 'duplicates' | 'wave' | 'outcomes'>,
  plan: Pick<InputPlan, 'siteWasEmpty'>,
  reserved: Reserved,
  guarded: boolean,
): ApplyContext {
  return {
    jobId: chunk.job_id,
    duplicates: new Map(chunk.duplicates ?? []),
    siteWasEmpty: plan.siteWasEmpty,
    reserved,
    wave: waveOf(chunk.wave, chunk.outcomes ?? ''),
    guarded,
  };
}

/**
 * Records a chunk's failures, outcomes and counts: it is done. A later wave keeps what those before it said of the other
 * rows.
 * @returns how many rows of it wait for another wave
 */
export async function recordChunk(
  trx: Knex.Transaction,
  chunk: Pick<JobChunk, 'job_id' | 'idx' | 'wave' | 'outcomes'>,
  result: ChunkResult,
): Promise<number> {
  await recordFailures(trx, chunk.job_id, result.failures);
  const outcomes = afterWave(waveOf(chunk.wave, chunk.outcomes ?? ''), result.outcomes);
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
  return countWaiting(outcomes);
}
