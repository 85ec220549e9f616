/** Ends jobs: because their work is done, they were cancelled, or they failed by an internal error. */
import type { Knex } from 'knex';
import { prepared } from '../../../../db/prepared.js';
import { InvariantViolation, invariant } from '../../kernel/invariant.js';
import { checkChunk } from '../../outcomes/check-chunk.js';
import { countOutcomes } from '../../outcomes/model/chunk-result.js';
import { recordFailures, summariseErrors } from '../../outcomes/record-errors.js';
import { recordedWarnings, summariseWarnings, warningsOf } from '../../outcomes/record-warnings.js';
import { JOB_ENDED_CHANNEL, type JobEnd } from '../model/job-end.js';
import { ENDS_AT } from '../steps/times.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './emit-job-end.js';
import { supersedeRemovals } from './supersede-removals.js';

/** A job that has ended with the commit of the transaction: followEnds needs these facts. */
export interface EndedJob {
  readonly id: string;
  readonly siteId: number;
  /** In the ordering queue of the site; null: it had none. */
  readonly position: number | null;
  readonly kind: string;
  readonly eventIds: readonly string[];
}

export interface EndingJob extends JobEnd {
  readonly jobId: string;
}

/**
 * Ends jobs of any sites whose rows the transaction has locked. With the same commit they leave the ordering queues of
 * their sites and their events are emitted. Call followEnds, or followEnd for each, after the commit.
 * @returns the jobs in any order, with those that ended because one of them supersedes their removals
 * @throws InvariantViolation when a job has ended already, or its counts do not add up
 */
export async function endJobs(trx: Knex.Transaction, ends: readonly EndingJob[]): Promise<readonly EndedJob[]> {
  if (ends.length === 0) return [];
  const given: GivenEnd[] = [];
  for (const end of ends) {
    given.push(await recordRows(trx, end));
    if (end.isWholeTruth !== true) continue;
    for (const older of await supersedeRemovals(trx, end.jobId)) given.push(await recordRows(trx, older));
  }
  const result = await prepared<{ rows: EndedRow[] }>(trx, END, {
    channel: JOB_ENDED_CHANNEL,
    given: JSON.stringify(given),
  });
  if (result.rows.length !== given.length) {
    const ended = new Set(result.rows.map(({ id }) => id));
    const others = given.flatMap(({ id }) => (ended.has(id) ? [] : [id]));
    throw new InvariantViolation(`job ${others.join(', ')}: it has ended already`);
  }
  const jobs: EndedJob[] = [];
  const endOf = new Map(given.map((end) => [end.id, end]));
  for (const { id, site_id: siteId, line_no: position, kind, total_count: total, ...subscribers } of result.rows) {
    const end = endOf.get(id);
    if (end !== undefined) checkTotal(end, total);
    jobs.push({ id, siteId, position, kind, eventIds: await emitJobEnd(trx, id, subscribers) });
  }
  return jobs;
}

interface EndedRow extends Subscribers {
  readonly id: string;
  readonly site_id: number;
  readonly line_no: number | null;
  readonly kind: string;
  readonly total_count: number | null;
}

/** An end as the statement gets it. An absent member leaves what is recorded. */
interface GivenEnd {
  readonly id: string;
  readonly status: JobEnd['status'];
  readonly message: string | null;
  readonly reason: string | null;
  readonly pauses: boolean;
  readonly notice: string | null;
  /** The job has begun with this transaction, whose beginning is recorded as its own. */
  readonly version?: number | undefined;
  readonly outcomes?: string;
  readonly created?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly failed?: number;
  readonly noted?: object | null;
  readonly warnings?: object | null;
  readonly errors?: object;
  readonly errorFileId?: string | undefined;
}

/** Records the problems of the rows that were applied with the end, and summarises those of all rows. */
async function recordRows(trx: Knex.Transaction, end: EndingJob): Promise<GivenEnd> {
  const { jobId: id, applied, status, errorFileId, definitionsVersion: version } = end;
  const { pauses, message } = status === 'FAILED' ? await afterFailure(trx, id) : GOES_ON;
  const statusMessage = end.statusMessage === undefined ? null : `${end.statusMessage}${message}`;
  const isDone = applied !== undefined && applied.result.failures.length === 0;
  const notice = isDone ? `${id} ${applied.result.outcomes.join('')}` : id;
  const ending = { id, status, message: statusMessage, reason: end.reason ?? null, pauses, version, errorFileId };
  const announced = { ...ending, notice: end.isAnnounced === true ? notice : null };
  if (applied === undefined) {
    if (end.counts === undefined) return announced;
    const warnings = end.warned === false ? null : await summariseWarnings(trx, id, end.counts);
    return { ...announced, ...end.counts, warnings, ...(await errorsOf(trx, id, end.counts.failed)) };
  }
  const { rowCount, result } = applied;
  const outcomes = checkChunk({ job_id: id, idx: 0, wave: 0, outcomes: null, row_count: rowCount }, result);
  const counts = end.counts ?? countOutcomes(outcomes);
  await recordFailures(trx, id, result.failures);
  const noted = recordedWarnings(null, result.warnings);
  const warned = { noted, warnings: warningsOf(noted, counts) };
  return { ...announced, ...counts, outcomes, ...warned, ...(await errorsOf(trx, id, counts.failed)) };
}

async function errorsOf(trx: Knex.Transaction, jobId: string, failed: number): Promise<{ errors?: object }> {
  return failed === 0 ? {} : { errors: await summariseErrors(trx, jobId) };
}

const END = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(:given::jsonb) AS ending (
      id text, status text, message text, reason text, pauses boolean, notice text, version integer, outcomes text,
      created integer, updated integer, unchanged integer, failed integer, noted jsonb, warnings jsonb, errors jsonb,
      "errorFileId" text)
  ), applied AS (
    UPDATE job_chunk SET status = 'done', outcomes = given.outcomes, created_count = created, updated_count = updated,
      unchanged_count = unchanged, error_count = failed, warnings = given.noted, done_at = now()
    FROM given CROSS JOIN LATERAL (
      SELECT ctid AS place FROM job_chunk WHERE job_id = given.id COLLATE "C" AND idx = 0 LIMIT 1) AS held
    WHERE given.outcomes IS NOT NULL AND job_chunk.ctid = held.place
  ), ended AS (
    UPDATE job SET status = given.status, status_message = given.message, reason = given.reason, step = NULL,
      started_at = CASE WHEN given.version IS NULL THEN job.started_at 
        ELSE coalesce(job.started_at, greatest(now(), job.created_at)) END,
      completed_at = CASE WHEN given.status <> 'AWAITING_APPROVAL' THEN ${ENDS_AT} END, updated_at = now(),
      definitions_version = coalesce(given.version, job.definitions_version),
      created_count = coalesce(created, created_count), updated_count = coalesce(updated, updated_count),
      unchanged_count = coalesce(unchanged, unchanged_count), error_count = coalesce(failed, error_count),
      processed_count = coalesce(created + updated + unchanged + failed, processed_count),
      error_summary = coalesce(given.errors, error_summary), warnings = coalesce(given.warnings, job.warnings),
      error_file_id = coalesce(given."errorFileId", error_file_id)
    FROM given CROSS JOIN LATERAL (SELECT ctid AS place FROM job WHERE id = given.id COLLATE "C" LIMIT 1) AS held
    WHERE job.ctid = held.place AND job.completed_at IS NULL
    RETURNING job.id, job.site_id, job.line_no, job.kind, job.total_count, given.pauses, given.notice, ${SUBSCRIBERS}
  ), left_order AS (
    -- A failed job that keeps the jobs behind it waiting stays in the ordering queue, alone.
    UPDATE job_order SET state = CASE WHEN ended.pauses THEN 'p' ELSE 'e' END::"char",
      concurrent = concurrent AND NOT ended.pauses, batchable = batchable AND NOT ended.pauses
    FROM ended WHERE job_order.site_id = ended.site_id AND job_order.position = ended.line_no
  )
  SELECT id, site_id, line_no, kind, total_count, has_subscribers, callback_url,
    CASE WHEN notice IS NOT NULL THEN pg_notify(:channel, notice) END AS announced
  FROM ended`;

/**
 * Asserts that each row of a job has an outcome, if each was judged: a job that ended otherwise may not have read all.
 * @throws InvariantViolation
 */
function checkTotal(
  { id, status, created = 0, updated = 0, unchanged = 0, failed }: GivenEnd,
  total: number | null,
): void {
  if (failed === undefined || (status !== 'COMPLETED' && status !== 'COMPLETED_PARTIALLY')) return;
  const counted = created + updated + unchanged + failed;
  invariant(counted === total, `job ${id}`, () => `${counted} of its rows have an outcome, and it has ${total}`);
}

/** What follows for the other jobs of a site when one of them has failed. */
interface AfterFailure {
  /** The jobs behind it wait until the account resumes them. */
  readonly pauses: boolean;
  /** Says so; appended to the status message. */
  readonly message: string;
}

/** After any other end. */
const GOES_ON: AfterFailure = { pauses: false, message: '' };

async function afterFailure(trx: Knex.Transaction, jobId: string): Promise<AfterFailure> {
  const { line_no: position, after_failure: chosen } = await trx('job')
    .join('account', 'account.id', 'job.account_id')
    .where({ 'job.id': jobId })
    .first('job.line_no', 'account.after_failure');
  if (position === null) return GOES_ON;
  return chosen === 'pause'
    ? { pauses: true, message: `; later jobs of this account and stage wait until POST /jobs/${jobId}/actions/resume` }
    : { pauses: false, message: '; later jobs of this account and stage go on' };
}
