/** Retries: an ended job is repeated by a new one. */
import type { Knex } from 'knex';
import type { z } from 'zod';
import { Job } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { approvalOf, previewing, withoutApproval } from '../job-model/approval.js';
import { type JobTypes, type LoadedJob, parseJob, type retrySchema } from '../job-model/job-type.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { OUTCOME } from '../outcomes/model/chunk-result.js';
import { type Start, singleStep } from './accept/start.js';
import { acceptJobs } from './accept-job.js';

interface Retry {
  /** `all`: the rows that the job has not applied. `failed`: those of them that failed, not those that it never read. */
  readonly rows: 'all' | 'failed';
  /** Whether rows are applied, too, whose record was changed after the job had ended. */
  readonly force: boolean;
}

type StoredRetry = z.output<typeof retrySchema>;

interface RetryRequest extends Retry {
  /** The id of the new job: see newId. */
  readonly id: string;
  readonly requestId: string | null;
  /** The W3C trace context of the request that asks for it; null: none. */
  readonly traceparent: string | null;
  /** Who asks for it; null: the system itself. */
  readonly actor: string | null;
  /** Adds the approval that the rule of the site demands to the options. Absent: it demands none. */
  readonly withApproval?: (options: object, job: LoadedJob) => object;
  /** Only a job of this site is repeated. Undefined: a job of any account, for operators. */
  readonly siteId?: number | undefined;
}

interface Retried {
  readonly accountId: string;
  readonly siteId: number;
  /** The type of both jobs, as clients know it. */
  readonly type: string;
  /** What to enqueue once `trx` has committed. If it is empty, call releaseDue for the site then: see acceptJobs. */
  readonly outboxEntries: OutboxEntry[];
}

/**
 * Records a new job that repeats an ended one: the same input, options and channel, at the end of its site's order, with
 * the old job's id as its option `retryOf`. The old job does not change; its file belongs to the new job from now on, so
 * that it is kept as long as that one. A job without rows (an export, a replay) is requested again as it was.
 *
 * It serves jobs of any type and account. Clients pass their site; operators do not. Call it as the last statement of
 * `trx`, because other requests of the site wait for its lock.
 * @param types the table of all job types
 * @throws DomainError not-found JOB_NOT_FOUND; conflict JOB_NOT_ENDED; conflict NOTHING_TO_RETRY when the job has no such
 *   rows; gone INPUT_GONE when its file was never uploaded or is no longer kept
 */
export async function retryJob(
  trx: Knex.Transaction,
  types: JobTypes,
  jobId: string,
  request: RetryRequest,
): Promise<Retried> {
  const row = isId(jobId) ? await Job.query(trx).findById(jobId) : undefined;
  if (row === undefined || (request.siteId !== undefined && row.site_id !== request.siteId)) {
    const where = request.siteId === undefined ? '' : ' in this account and stage';
    throw new DomainError('not-found', 'JOB_NOT_FOUND', `there is no job ${jobId.slice(0, 60)}${where}`);
  }
  if (row.completed_at === null) {
    const message = `the job is ${row.status}: it can be retried when it has ended; cancel it to end it now`;
    throw new DomainError('conflict', 'JOB_NOT_ENDED', message);
  }
  if (row.pruned_at !== null) throw inputGone('the rows of the job are no longer kept');
  const job = parseJob(types, row);
  const { options, start } = await repeated(trx, job, request);
  const { site_id: siteId, account_id: accountId, type, kind, channel, shared: concurrent } = job;
  const { id, requestId, traceparent, actor } = request;
  const identity = { id, siteId, accountId, type, kind, channel, requestId, traceparent, actor };
  // It is no hurry, and its rows are compared with what has happened since.
  const [outboxEntries = []] = await acceptJobs(trx, [{ ...identity, concurrent, batchable: false, options, start }]);
  return { accountId, siteId, type, outboxEntries };
}

/** What the new job does: its options, and its input. */
interface Repeated {
  readonly options: object;
  readonly start: Start;
}

async function repeated(trx: Knex.Transaction, job: LoadedJob, request: RetryRequest): Promise<Repeated> {
  if (job.jobType.oneStep === undefined) {
    const retry = await storedRetry(trx, job, request);
    const { created: _, archive: __, removal: ___, scopeKey: ____, snapshot, ...repeatedOptions } = Object(job.options);
    // Some rows of a file are no whole truth.
    const whole = snapshot === undefined || retry.only !== undefined ? {} : { snapshot };
    const options = approvedAnew(job, { ...repeatedOptions, ...whole, retryOf: job.id, retry }, request);
    return {
      options,
      start: job.input_file_id === null ? await rowsOf(trx, job, retry) : await fileOf(trx, job, request),
    };
  }
  const { notRepeated } = job.jobType.oneStep;
  if (notRepeated !== undefined) throw nothingToRetry(notRepeated);
  if (request.rows === 'failed') throw nothingToRetry('this job has no rows that can fail: leave out `rows`');
  return { options: { ...Object(job.options), retryOf: job.id }, start: singleStep(job.jobType) };
}

/** What was approved for a job is not approved for its retry. */
function approvedAnew(job: LoadedJob, options: object, { withApproval }: RetryRequest): object {
  const found = approvalOf(options);
  // Of its removals alone: nobody had to approve its rows.
  const approval = found?.only === undefined ? found : undefined;
  const repeated = withoutApproval(options);
  if (withApproval !== undefined)
    return withApproval(approval === undefined ? repeated : { ...repeated, requireApproval: true }, job);
  if (approval === undefined) return repeated;
  return previewing(repeated, {});
}

async function rowsOf(trx: Knex.Transaction, job: LoadedJob, retry: StoredRetry): Promise<Start> {
  const letters = retry.only ?? '';
  const result = await trx.raw<{ rows: { lines: string | null; row_count: number }[] }>(
    retry.only === undefined ? ALL_LINES : CHOSEN_LINES,
    { jobId: job.id, letters: [...letters] },
  );
  const [input] = result.rows;
  if (input === undefined || input.lines === null) throw inputGone('the rows of the job are no longer kept');
  return { kind: 'rows', rowCount: input.row_count, lines: Buffer.from(input.lines) };
}

const ALL_LINES = 'SELECT input AS lines, row_count FROM job_chunk WHERE job_id = :jobId AND idx = 0';

/** A superseded row is not repeated: the row that superseded it is, unless it was applied. */
const CHOSEN_LINES = `
  WITH given AS MATERIALIZED (
    SELECT input, coalesce(outcomes, repeat('${OUTCOME.deferred}', row_count)) AS outcomes
    FROM job_chunk WHERE job_id = :jobId AND idx = 0
  )
  SELECT string_agg(line, chr(10) ORDER BY row_no) AS lines, count(*)::integer AS row_count
  FROM (
    -- Side by side: the nth line and the nth letter.
    SELECT * FROM given, ROWS FROM (string_to_table(input, chr(10)), string_to_table(outcomes, NULL))
      WITH ORDINALITY AS pair (line, letter, row_no)
  ) AS numbered
  WHERE letter = ANY (:letters::text[])`;

/** Keeps the file for the new job: the file of a rejected job would be deleted soon. That of a trial belongs to another job. */
async function fileOf(trx: Knex.Transaction, job: LoadedJob, { id }: RetryRequest): Promise<Start> {
  if (job.line_no === null) {
    const was = 'was never uploaded, or was held and nothing said how to import it';
    throw inputGone(`the file of the job ${was}; announce it and upload it again`);
  }
  const [kept] = await trx('file')
    .where({ id: job.input_file_id, status: 'UPLOADED' })
    .whereNotNull('storage_key')
    .update({
      job_id: trx.raw('CASE WHEN job_id = :job THEN :id ELSE job_id END', { job: job.id, id }),
      expires_at: trx.raw('CASE WHEN job_id = :job THEN NULL ELSE expires_at END', { job: job.id }),
    })
    .returning('id');
  if (kept !== undefined) return { kind: 'file', fileId: kept.id };
  throw inputGone('the file of the job is not there: it is no longer kept; announce it and upload it again');
}

/** @throws DomainError conflict when the job has no rows to repeat */
async function storedRetry(trx: Knex.Transaction, job: LoadedJob, { rows, force }: Retry): Promise<StoredRetry> {
  const result = await trx.raw<{ rows: { failed: boolean; open: boolean; applied: boolean; ended: string }[] }>(
    `SELECT coalesce(bool_or(strpos(outcomes, '${OUTCOME.failed}') > 0), false) AS failed,
       coalesce(bool_or(outcomes IS NULL OR strpos(outcomes, '${OUTCOME.deferred}') > 0), true) AS open,
       coalesce(bool_or(created_count + updated_count + unchanged_count > 0), false) AS applied,
       (SELECT to_jsonb(completed_at) #>> '{}' FROM job WHERE id = :jobId) AS ended
     FROM job_chunk WHERE job_id = :jobId`,
    { jobId: job.id },
  );
  const [{ failed, open, applied, ended } = { failed: false, open: true, applied: false, ended: '' }] = result.rows;
  // A retry of a retry goes back to the time of the first job, whose rows they are.
  const { retry: earlier }: { readonly retry?: StoredRetry } = Object(job.options);
  const since = force ? {} : { since: earlier?.since ?? ended };
  if (rows === 'failed') {
    if (!failed) throw nothingToRetry('no row of this job failed');
    return { ...since, of: job.id, only: OUTCOME.failed };
  }
  if (job.isDryRun || !applied) return { ...since, ...wholeInput(job, earlier) };
  if (!failed && !open) {
    const how = job.actor?.startsWith('feed:') ? 'have its feed take the file again (take-again)' : 'send them again';
    throw nothingToRetry(`the job has applied all its rows; to apply them again, ${how}`);
  }
  return { ...since, of: job.id, only: OUTCOME.failed + OUTCOME.deferred };
}

/** All rows of a job. Those of a retry of a file are not all rows of the file. */
function wholeInput(job: LoadedJob, earlier: StoredRetry | undefined): StoredRetry {
  if (job.input_file_id === null || earlier?.only === undefined) return {};
  if (job.plan === null) return { of: earlier.of, only: earlier.only };
  return { of: job.id, only: Object.values(OUTCOME).join('') };
}

function nothingToRetry(message: string): DomainError {
  return new DomainError('conflict', 'NOTHING_TO_RETRY', message);
}

function inputGone(message: string): DomainError {
  return new DomainError('gone', 'INPUT_GONE', message);
}
