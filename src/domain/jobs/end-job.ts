/** Ends jobs: because their work is done, they were cancelled, or they failed by an internal error. */
import type { Knex } from 'knex';
import type { ChunkCounts } from '../kernel/chunk-result.js';
import { InvariantViolation, invariant } from '../kernel/invariant.js';
import { summariseErrors } from './chunks/record-errors.js';
import { summariseWarnings } from './chunks/record-warnings.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './ends/emit-job-end.js';
import type { JobEnd } from './model/job-end.js';
import { ENDS_AT } from './model/job-times.js';
import { PAUSING } from './order/site-order.js';

/**
 * NOTIFY channel that announces the ends of jobs. The payload is the job's id; if all rows of a small job were applied, a
 * blank and the letter of each row's outcome follow.
 */
export const JOB_ENDED_CHANNEL = 'longshore_job_ended';

/**
 * Ends a job whose row the transaction has locked. With the same commit the job leaves the ordering queue of its site
 * and its events are emitted. Call followEnd after the commit.
 * @throws InvariantViolation when it has ended already, or its counts do not add up
 */
export async function endJob(trx: Knex.Transaction, jobId: string, end: JobEnd): Promise<void> {
  const { counts } = end;
  const following = end.status === 'FAILED' ? await afterFailure(trx, jobId) : undefined;
  const errorSummary = counts !== undefined && counts.failed > 0 ? await summariseErrors(trx, jobId) : undefined;
  const warnings = counts === undefined || end.warned === false ? null : await summariseWarnings(trx, jobId, counts);
  const ended = trx('job')
    .where({ id: jobId })
    .whereNull('completed_at')
    .update({
      status: end.status,
      status_message:
        following === undefined ? (end.statusMessage ?? null) : `${end.statusMessage}${following.message}`,
      reason: end.reason ?? null,
      step: null,
      completed_at: trx.raw(ENDS_AT),
      updated_at: trx.fn.now(),
      ...(errorSummary === undefined ? {} : { error_summary: JSON.stringify(errorSummary) }),
      ...(warnings === null ? {} : { warnings: JSON.stringify(warnings) }),
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
    .returning(['site_id', 'line_no', 'total_count', trx.raw(SUBSCRIBERS)]);
  const result = await trx.raw<{ rows: (Subscribers & { total_count: number | null })[] }>(
    `WITH ended AS (?), left_order AS (
       UPDATE job_order SET ${following?.pauses === true ? PAUSING : "state = 'e'"} FROM ended
       WHERE job_order.site_id = ended.site_id AND job_order.position = ended.line_no
     )
     SELECT has_subscribers, callback_url, total_count FROM ended`,
    [ended],
  );
  const [row] = result.rows;
  if (row === undefined) throw new InvariantViolation(`job ${jobId}: it has ended already`);
  const { total_count: total, ...subscribers } = row;
  if (counts !== undefined && isJudged(end)) checkTotal(jobId, counts, total);
  await emitJobEnd(trx, jobId, subscribers);
}

/** What follows in the site of a job that has failed. */
interface AfterFailure {
  /** The jobs behind it wait until the account resumes them. */
  readonly pauses: boolean;
  /** Says so; appended to the status message. */
  readonly message: string;
}

async function afterFailure(trx: Knex.Transaction, jobId: string): Promise<AfterFailure> {
  const { line_no: position, after_failure: chosen } = await trx('job')
    .join('account', 'account.id', 'job.account_id')
    .where({ 'job.id': jobId })
    .first('job.line_no', 'account.after_failure');
  if (position === null) return { pauses: false, message: '' };
  return chosen === 'pause'
    ? { pauses: true, message: `; later jobs of this account and stage wait until POST /jobs/${jobId}/actions/resume` }
    : { pauses: false, message: '; later jobs of this account and stage go on' };
}

/** Whether each row of the job was judged: a job that ended otherwise may not have read all its rows. */
function isJudged({ status }: JobEnd): boolean {
  return status === 'COMPLETED' || status === 'COMPLETED_PARTIALLY';
}

/** Asserts that each row of a job has an outcome. @throws InvariantViolation */
export function checkTotal(
  jobId: string,
  { created, updated, unchanged, failed }: ChunkCounts,
  total: number | null,
): void {
  const counted = created + updated + unchanged + failed;
  invariant(counted === total, `job ${jobId}`, () => `${counted} of its rows have an outcome, and it has ${total}`);
}
