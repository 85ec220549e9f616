/** Whether the errors of a job fit into one answer. */
import type { Db } from '../../../db/connection.js';
import type { JobRow } from '../../../db/models/job.js';

/** The most problems, and bytes of them, in one answer. */
const MAX_PROBLEMS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Bytes of a problem in JSON in addition to its texts. */
const FRAME_BYTES = 64;
/** So many failed rows always fit into one answer: a problem needs about a kilobyte. */
const FEW_ROWS = 50;

/** Whether the errors of an ended job are too many for one answer. Reads no more problems than fit into one. */
export async function isReportTooLarge(db: Db, job: Pick<JobRow, 'id' | 'error_count'>): Promise<boolean> {
  if (job.error_count <= FEW_ROWS) return false;
  const result = await db.raw(
    `SELECT count(*)::integer AS problems,
            coalesce(sum(octet_length(message) + coalesce(octet_length(value), 0) + coalesce(octet_length(col), 0)
              + ${FRAME_BYTES}), 0)::bigint AS bytes
     FROM (SELECT message, value, col FROM job_error WHERE job_id = ? LIMIT ${MAX_PROBLEMS + 1}) AS problem`,
    [job.id],
  );
  const [{ problems, bytes }] = result.rows;
  return problems > MAX_PROBLEMS || bytes > MAX_BYTES;
}
