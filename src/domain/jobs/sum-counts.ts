/** What came of a job's rows so far, summed over its chunks. */
import type { Knex } from 'knex';
import type { ChunkCounts } from './chunk-result.js';

export async function sumCounts(trx: Knex.Transaction, jobId: string): Promise<ChunkCounts> {
  return trx('job_chunk')
    .where({ job_id: jobId })
    .first(
      trx.raw('coalesce(sum(created_count), 0)::integer AS created'),
      trx.raw('coalesce(sum(updated_count), 0)::integer AS updated'),
      trx.raw('coalesce(sum(unchanged_count), 0)::integer AS unchanged'),
      trx.raw('coalesce(sum(error_count), 0)::integer AS failed'),
    );
}
