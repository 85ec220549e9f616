/** Pages the errors of a job. */
import type { Db } from '../../../db/connection.js';
import type { JobError } from '../../../db/models/job-error.js';

interface JobErrorsPage {
  readonly rows: readonly JobError[];
  /** The number of errors on all pages. */
  readonly count: number;
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** A cursor between two errors: `row.seq`. */
export const ERROR_CURSOR = /^(\d{1,9})(?:\.(\d{1,4}))?$/;

/** @param after a cursor or a row number: only errors after it are read */
export async function pageJobErrors(
  db: Db,
  jobId: string,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<JobErrorsPage> {
  const query = db('job_error')
    .where({ job_id: jobId })
    .orderBy(['row_no', 'seq'])
    .limit(limit + 1);
  const cursor = after === undefined ? null : ERROR_CURSOR.exec(after);
  if (cursor !== null) query.whereRaw('(row_no, seq) > (?, ?)', [Number(cursor[1]), Number(cursor[2] ?? 32_767)]);
  const rows: JobError[] = await query;
  const total = await db('job_error').where({ job_id: jobId }).first(db.raw('count(*)::integer AS count'));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page,
    count: total.count,
    next: rows.length > limit && last !== undefined ? `${last.row_no}.${last.seq}` : null,
  };
}
