/** Whether what became of a job's rows is more than one answer should hold. */
import type { Db } from '../../../db/connection.js';
import type { Job } from '../../../db/models/job.js';

/** Problems, and bytes of them, that an answer holds at most. */
const MAX_PROBLEMS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** What a problem takes in JSON besides its texts. */
const FRAME_BYTES = 64;
/** As many rows cannot be too much, whatever is wrong with them: a problem is told in about a kilobyte. */
const FEW_ROWS = 50;

/** Of a job that has ended. Looks at no more problems than an answer may hold. */
export async function isReportTooLarge(db: Db, job: Pick<Job, 'id' | 'error_count'>): Promise<boolean> {
  if (job.error_count <= FEW_ROWS) return false;
  const result = await db.raw(
    `SELECT count(*)::integer AS problems,
            coalesce(sum(octet_length(message) + coalesce(octet_length(value), 0) + coalesce(octet_length(col), 0)
              + ${FRAME_BYTES}), 0)::bigint AS bytes
     FROM (SELECT message, value, col FROM job_error WHERE job_id = ? LIMIT ${MAX_PROBLEMS + 1}) AS told`,
    [job.id],
  );
  const [{ problems, bytes }] = result.rows;
  return problems > MAX_PROBLEMS || bytes > MAX_BYTES;
}
