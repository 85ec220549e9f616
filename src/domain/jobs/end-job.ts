/** The end of a job: its last state, written once. */
import type { Knex } from 'knex';
import type { ErrorSummaryLine, JobStatus } from '../../../db/models/job.js';
import type { ChunkCounts } from './chunk-result.js';
import { emitJobEnd, type Hearing, WHO_HEARS } from './emit-job-end.js';

export interface JobEnd {
  readonly status: Extract<
    JobStatus,
    'COMPLETED' | 'COMPLETED_PARTIALLY' | 'REJECTED' | 'FAILED' | 'CANCELLED' | 'EXPIRED'
  >;
  readonly statusMessage?: string | undefined;
  /** Machine-readable reason of REJECTED and FAILED. */
  readonly reason?: string | undefined;
  readonly counts?: ChunkCounts | undefined;
  readonly errorSummary?: readonly ErrorSummaryLine[] | undefined;
  readonly errorFileId?: string | undefined;
}

/**
 * Ends a job whose row the transaction has locked. It leaves the order of its site with the commit, and subscribers
 * get events of the same commit; endDispatches has what to enqueue then.
 */
export async function endJob(trx: Knex.Transaction, jobId: string, end: JobEnd): Promise<void> {
  const { counts } = end;
  const ended = trx('job')
    .where({ id: jobId })
    .update({
      status: end.status,
      status_message: end.statusMessage ?? null,
      reason: end.reason ?? null,
      step: null,
      completed_at: trx.fn.now(),
      updated_at: trx.fn.now(),
      ...(end.errorSummary === undefined ? {} : { error_summary: JSON.stringify(end.errorSummary) }),
      ...(end.errorFileId === undefined ? {} : { error_file_id: end.errorFileId }),
      ...(counts === undefined
        ? {}
        : {
            created_count: counts.created,
            updated_count: counts.updated,
            unchanged_count: counts.unchanged,
            error_count: counts.failed,
            processed_count: counts.created + counts.updated + counts.unchanged + counts.failed,
          }),
    })
    .returning(['site_id', 'line_no', trx.raw(WHO_HEARS)]);
  const result = await trx.raw<{ rows: Hearing[] }>(
    `WITH ended AS (?), left_order AS (
       UPDATE job_order SET state = 'e' FROM ended
       WHERE job_order.site_id = ended.site_id AND job_order.position = ended.line_no
     )
     SELECT is_heard, callback_url FROM ended`,
    [ended],
  );
  const [hearing] = result.rows;
  if (hearing !== undefined) await emitJobEnd(trx, jobId, hearing);
}

/** How a job ends whose rows were all judged. */
export function endOf(counts: ChunkCounts): Pick<JobEnd, 'status' | 'statusMessage'> {
  if (counts.failed === 0) return { status: 'COMPLETED' };
  const total = counts.created + counts.updated + counts.unchanged + counts.failed;
  const statusMessage = `${counts.failed} of ${total} rows failed; see errors, mend them and send them again`;
  return { status: 'COMPLETED_PARTIALLY', statusMessage };
}

type HowItEnds = Pick<JobEnd, 'status' | 'statusMessage' | 'reason'>;

/** Reason of a job that was to be all or nothing, and rows of it failed. */
export const ROWS_FAILED = 'ROWS_FAILED';

/** How a job ends that rows took down with them. */
export function abortedEnd(failed: number): HowItEnds {
  const statusMessage = `${failed} rows failed, and nothing was written because onError is abort; correct them and send all again`;
  return { status: 'REJECTED', reason: ROWS_FAILED, statusMessage };
}

/** How a job ends that was only to find out what it would do. */
export const DRY_RUN_END: HowItEnds = { status: 'COMPLETED', statusMessage: 'a dry run: nothing was written' };
