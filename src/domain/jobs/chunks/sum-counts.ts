/** The counts of the rows of a job so far. */
import type { Db } from '../../../../db/connection.js';
import type { ChunkCounts } from '../../outcomes/model/chunk-result.js';

/** Sums the counts of a job's rows so far over its chunks. */
export async function sumCounts(db: Db, jobId: string): Promise<ChunkCounts> {
  return db('job_chunk')
    .where({ job_id: jobId })
    .first(
      db.raw('coalesce(sum(created_count), 0)::integer AS created'),
      db.raw('coalesce(sum(updated_count), 0)::integer AS updated'),
      db.raw('coalesce(sum(unchanged_count), 0)::integer AS unchanged'),
      db.raw('coalesce(sum(error_count), 0)::integer AS failed'),
    );
}
