/** Records what came of one chunk. */
import type { Knex } from 'knex';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { type CheckedChunk, checkChunk } from '../../outcomes/check-chunk.js';
import { type ChunkResult, countOutcomes } from '../../outcomes/model/chunk-result.js';
import { countWaiting } from '../../outcomes/model/passes.js';
import { recordFailures } from '../../outcomes/record-errors.js';
import { recordedWarnings } from '../../outcomes/record-warnings.js';

/** A chunk before a pass, with what the passes before it have recorded. */
export type AppliedChunk = CheckedChunk & Pick<JobChunk, 'warnings'>;

/**
 * Records a chunk's failures, outcomes, counts and warnings, after checking that they are consistent. A later pass keeps
 * the outcomes that earlier passes recorded for the other rows, and the warnings about these.
 * @returns how many of its rows are deferred to another pass
 */
export async function recordChunk(trx: Knex.Transaction, chunk: AppliedChunk, result: ChunkResult): Promise<number> {
  const outcomes = checkChunk(chunk, result);
  await recordFailures(trx, chunk.job_id, result.failures);
  const counts = countOutcomes(outcomes);
  const warnings = recordedWarnings(chunk.warnings, result.warnings);
  await trx('job_chunk')
    .where({ job_id: chunk.job_id, idx: chunk.idx })
    .update({
      status: 'done',
      outcomes,
      created_count: counts.created,
      updated_count: counts.updated,
      unchanged_count: counts.unchanged,
      error_count: counts.failed,
      done_at: trx.fn.now(),
      ...(warnings === null ? {} : { warnings: JSON.stringify(warnings) }),
    });
  return countWaiting(outcomes);
}
