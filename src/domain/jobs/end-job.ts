/** Ends jobs: because their work is done, they were cancelled, or they failed by an internal error. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job, type JobRow, type JobStatus } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import { backoffMs, OUTAGE_BACKOFF, STEP_BACKOFF } from '../../platform/backoff.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import type { ChunkCounts } from '../kernel/chunk-result.js';
import { DomainError } from '../kernel/errors.js';
import { InvariantViolation, invariant } from '../kernel/invariant.js';
import { firstEntries } from '../webhooks/emit-events.js';
import { placeUnplacedJobs } from './accept-job.js';
import { recordNothingApplied, sumCounts } from './apply-chunks.js';
import { summariseErrors, summariseWarnings } from './chunks/record-errors.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './ends/emit-job-end.js';
import {
  ENDS_AT,
  enqueueStep,
  isSuspect,
  lockPlanStep,
  PATIENCE_MS,
  releaseDue,
  releaseOneStep,
  type StepPayload,
  suspicionOf,
  withoutSteps,
} from './job-steps.js';
import { type JobTypes, type LoadedJob, parseJob, typeOf } from './job-type.js';
import { endPause, PAUSING, sweep, sweepsAt } from './order/site-order.js';

/**
 * NOTIFY channel that announces the ends of jobs. The payload is the job's id; if all rows of a small job were applied, a
 * blank and the letter of each row's outcome follow.
 */
export const JOB_ENDED_CHANNEL = 'longshore_job_ended';
/** Reason of an atomic job of which rows failed. */
export const ROWS_FAILED = 'ROWS_FAILED';

export interface JobEnd {
  readonly status: Extract<
    JobStatus,
    'COMPLETED' | 'COMPLETED_PARTIALLY' | 'REJECTED' | 'FAILED' | 'CANCELLED' | 'EXPIRED'
  >;
  readonly statusMessage?: string | undefined;
  /** Machine-readable reason of REJECTED and FAILED. */
  readonly reason?: string | undefined;
  /** The counts of its rows. If any failed, endJob records a summary of their errors. */
  readonly counts?: ChunkCounts | undefined;
  /** False: none of its chunks has warnings, which endJob need not look for. */
  readonly warned?: boolean | undefined;
  readonly errorFileId?: string | undefined;
}

type HowItEnds = Pick<JobEnd, 'status' | 'statusMessage' | 'reason'>;

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

/**
 * Lets the jobs continue that wait because this job has failed.
 * @returns what to enqueue
 * @throws DomainError conflict when no job waits for that
 */
export async function resumeAfter(
  db: Db,
  siteId: number,
  jobId: string,
  record: (trx: Db) => Promise<void> = async () => undefined,
): Promise<OutboxEntry[]> {
  const ended = await db.transaction(async (trx) => {
    const paused = await endPause(trx, siteId, jobId);
    if (paused) await record(trx);
    return paused;
  });
  if (ended) return releaseDue(db, siteId);
  const message = `the jobs of this account and stage do not wait for job ${jobId}: only a FAILED job makes them wait, where the account chose that, and only once`;
  throw new DomainError('conflict', 'JOB_NOT_PAUSING', message);
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

/** The end of a job whose rows were all judged. */
export function endOf(counts: ChunkCounts): HowItEnds {
  if (counts.failed === 0) return { status: 'COMPLETED' };
  const total = counts.created + counts.updated + counts.unchanged + counts.failed;
  const which =
    counts.failed === total
      ? total === 1
        ? 'the only row'
        : `all ${total} rows`
      : `${counts.failed} of ${total} rows`;
  const statusMessage = `${which} failed; each error says why, and what to do about its row`;
  return { status: 'COMPLETED_PARTIALLY', statusMessage };
}

/** The end of an atomic job of which rows failed. */
export function abortedEnd(failed: number): HowItEnds {
  const rows = failed === 1 ? '1 row' : `${failed} rows`;
  const statusMessage = `${rows} failed, and nothing was written because onError is abort; correct what the errors name and send all rows again`;
  return { status: 'REJECTED', reason: ROWS_FAILED, statusMessage };
}

/** The end of a dry run: it is complete even if rows failed, so that the message says how many would. */
export function dryRunEnd({ created, updated, unchanged, failed }: ChunkCounts): HowItEnds {
  const total = created + updated + unchanged + failed;
  const wouldFail = failed === 0 ? 'no row would fail' : `${failed} of ${total} rows would fail, see the errors`;
  return { status: 'COMPLETED', statusMessage: `a dry run: nothing was written, and ${wouldFail}` };
}

/**
 * Announces a job's end after its commit, and releases the jobs that were held for it: the next of the ordering queue
 * of its site, or the next of its type. A NOTIFY inside the transaction would make all commits of the database wait for
 * each other. A lost notification delays a waiting request by a second only, because it also polls.
 * @param onEnd gets what has become of the job
 * @returns what to enqueue
 */
export async function followEnd(
  db: Db,
  types: JobTypes,
  jobId: string,
  onEnd: (job: JobSummary) => void = () => undefined,
): Promise<OutboxEntry[]> {
  const defining = Object.values(types).filter(({ definitions }) => definitions === 'changed');
  const jobTypes = defining.map(({ kind }) => kind);
  const result = await db.raw<{ rows: EndedJob[] }>(
    `SELECT id, site_id, kind, type, status, reason, line_no, end_event_ids,
       created_count, updated_count, unchanged_count, error_count, processed_count,
       extract(epoch FROM completed_at - created_at)::float8 AS seconds,
       CASE WHEN kind <> ALL (:jobTypes::text[]) THEN pg_notify(:channel, id) END AS announced
     FROM job WHERE id = :jobId`,
    { jobTypes, channel: JOB_ENDED_CHANNEL, jobId },
  );
  const [job] = result.rows;
  if (job === undefined) return [];
  onEnd(summaryOf(job));
  // Jobs that follow from changed definitions are placed before the end is announced: requests that a client sends
  // when it knows of the end come after them.
  const placed = jobTypes.includes(job.kind) ? await placeUnplacedJobs(db, job.site_id) : [];
  if (jobTypes.includes(job.kind)) await db.raw('SELECT pg_notify(?, ?)', [JOB_ENDED_CHANNEL, jobId]);
  const released = [...placed, ...(await releaseNext(db, types, job))];
  return job.end_event_ids === null ? released : [...released, ...(await firstEntries(db, job.end_event_ids))];
}

interface EndedJob
  extends Pick<JobRow, 'id' | 'site_id' | 'kind' | 'type' | 'status' | 'reason' | 'line_no' | 'end_event_ids'>,
    Pick<JobRow, 'created_count' | 'updated_count' | 'unchanged_count' | 'error_count' | 'processed_count'> {
  readonly seconds: number | null;
}

/** What has become of a job. */
interface JobSummary {
  readonly jobId: string;
  readonly kind: string;
  readonly type: string;
  readonly outcome: JobStatus;
  readonly reason: string | null;
  /** Those that have an outcome; of an export those that it has written. */
  readonly rows: number;
  readonly counts: ChunkCounts;
  /** From its acceptance to its end. */
  readonly seconds: number;
}

function summaryOf(job: EndedJob): JobSummary {
  return {
    jobId: job.id,
    kind: job.kind,
    type: job.type,
    outcome: job.status,
    reason: job.reason,
    rows: job.processed_count,
    counts: {
      created: job.created_count,
      updated: job.updated_count,
      unchanged: job.unchanged_count,
      failed: job.error_count,
    },
    seconds: job.seconds ?? 0,
  };
}

/**
 * Releases the jobs that were held until this job's end. @returns what to enqueue
 * @internal exported for tests
 */
export async function releaseNext(
  db: Db,
  types: JobTypes,
  job: Pick<JobRow, 'id' | 'site_id' | 'kind' | 'line_no'>,
): Promise<OutboxEntry[]> {
  const type = typeOf(types, job);
  const { site_id: siteId, line_no: position } = job;
  if (type.oneStep !== undefined) return releaseOneStep(db, type, siteId);
  const released = await releaseDue(db, siteId);
  if (position !== null && sweepsAt(position)) await sweep(db, [siteId]);
  return released;
}

interface Cancellation {
  /** What to enqueue once committed. */
  readonly outboxEntries: OutboxEntry[];
  /** Whether the job has ended already. */
  readonly ended: boolean;
}

/**
 * Cancels a job, whatever its steps are doing: a transaction of theirs that keeps the job's row locked is ended. A job
 * with chunks is ended by its finish step. A second cancellation is no error. Rows applied before stay and are counted.
 * @throws DomainError conflict when the job has ended otherwise, or is atomic and its rows are already committed
 */
export function cancelJob(
  db: Db,
  types: JobTypes,
  siteId: number,
  jobId: string,
  record: (trx: Db) => Promise<void> = async () => undefined,
): Promise<Cancellation> {
  return withoutSteps(db, jobId, PATIENCE_MS, async (trx, stepsEnded) => {
    // No stronger lock: chunks that record errors take shared locks on the job's row (foreign key), one after another,
    // and would keep this statement waiting.
    const row = await Job.query(trx).findById(jobId).where({ site_id: siteId }).forNoKeyUpdate();
    if (row === undefined) throw new DomainError('not-found', 'JOB_NOT_FOUND', `there is no job ${jobId}`);
    if (row.status === 'CANCELLED' || row.status === 'CANCELLATION_IN_PROGRESS') {
      return { outboxEntries: [], ended: row.completed_at !== null };
    }
    if (row.completed_at !== null) {
      const message = `the job has ended as ${row.status} and can no longer be cancelled`;
      throw new DomainError('conflict', 'JOB_ENDED', message);
    }
    await record(trx);
    if (row.status === 'AWAITING_UPLOAD' || row.status === 'SCHEDULED') {
      const statusMessage = `cancelled on request${stepsEnded > 0 ? '; no row was applied' : ' before it began'}`;
      await endJob(trx, jobId, { status: 'CANCELLED', statusMessage });
      if (row.input_file_id !== null) {
        await trx('file').where({ id: row.input_file_id, status: 'AWAITING_UPLOAD' }).update({ status: 'EXPIRED' });
      }
      return { outboxEntries: [], ended: true };
    }
    return cancelRunning(trx, types, row);
  });
}

async function cancelRunning(trx: Knex.Transaction, types: JobTypes, row: JobRow): Promise<Cancellation> {
  const { id, step } = row;
  const { oneStep } = typeOf(types, row);
  if (oneStep !== undefined) {
    await endJob(trx, id, { status: 'CANCELLED', statusMessage: oneStep.cancelled(row.processed_count) });
    return { outboxEntries: [], ended: true };
  }
  if (step === 'finish' && parseJob(types, row).isAtomic) {
    const message =
      'all rows of the job were applied in one transaction and it is about to end; it can no longer be cancelled';
    throw new DomainError('conflict', 'JOB_ENDED', message);
  }
  await trx('job').where({ id }).update({ status: 'CANCELLATION_IN_PROGRESS' });
  // The finish step closes the chunks whose transaction is running; all other chunks find the job cancelled.
  return { outboxEntries: step === 'finish' ? [] : [await enqueueStep(trx, id, 'finish')], ended: false };
}

// Failures: whether a step or a chunk is tried again, waits for an outage to end, or has failed permanently.

/** Attempts at one step before its job is FAILED. */
const MAX_ATTEMPTS = 8;
/** A step that meets so many outages in a row although the part serves others: further ones are its own failures. */
const MAX_OUTAGES = 20;
/** The part serves others if one of so many jobs, those accepted last, has been done within this time. */
const JOBS_ASKED = 200;
const SERVED_WITHIN = '2 minutes';
/** A step that has ended so many processes in which nothing else ran is not executed again. */
const MAX_DEATHS = 3;

/** Why a job is FAILED, and what its status message says about it. */
const FAILURES = {
  INTERNAL_ERROR: 'we could not finish the job',
  FILE_MISSING: 'we could not finish the job, because a file that it needs is no longer in the file store',
  WORKER_DIED: 'the job was stopped, because it ended the process that executed it',
} as const;
type FailedReason = keyof typeof FAILURES;

/** How a step or a chunk failed. Workers decide which it was. */
export type Failure =
  | { readonly kind: 'error'; readonly reason: Exclude<FailedReason, 'WORKER_DIED'> }
  /** A part of the system does not serve. `lasting`: no step is the reason; the part did not answer afterwards either. */
  | { readonly kind: 'outage'; readonly part: string; readonly lasting: boolean }
  /** The process ended in which nothing else ran. `how`: the signal or the exit code. */
  | { readonly kind: 'death'; readonly how: string };

/** What to enqueue after a failure, and with which delay; `ended`: the failure has ended the job. */
interface FailureDecision {
  readonly outboxEntries: OutboxEntry[];
  readonly delayMs: number;
  readonly ended: boolean;
}

const NOTHING: FailureDecision = { outboxEntries: [], delayMs: 0, ended: false };

/** What a failure is unless something else is known about it. */
export const OWN_FAULT: Failure = { kind: 'error', reason: 'INTERNAL_ERROR' };

/** The failures of a step or a chunk so far. */
type Failed = Pick<JobRow, 'attempts' | 'outages' | 'deaths'>;

/** What to do about a failure. */
type Judgement =
  /** Enqueue the step again, with these counts. `waits`: why, as clients see it; null when an attempt was spent. */
  | {
      readonly kind: 'again';
      readonly counts: Partial<Failed>;
      readonly delayMs: number;
      readonly waits: string | null;
    }
  /** The caller executes the step again, with the same fencing token. */
  | { readonly kind: 'counted'; readonly counts: Partial<Failed> }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly cause: string };

/**
 * Decides what to do about a failure.
 * @internal exported for tests
 */
export function judge({ attempts, outages, deaths }: Failed, failure: Failure, now: Date = new Date()): Judgement {
  if (failure.kind === 'death') {
    if (deaths + 1 < MAX_DEATHS) return { kind: 'counted', counts: { deaths: deaths + 1 } };
    const cause = `${FAILURES.WORKER_DIED} (${failure.how}) each of ${MAX_DEATHS} times, although nothing else ran there`;
    return { kind: 'failed', reason: 'WORKER_DIED', cause };
  }
  if (failure.kind === 'outage' && (failure.lasting || outages < MAX_OUTAGES)) {
    const delayMs = backoffMs(OUTAGE_BACKOFF, outages + 1);
    const next = new Date(now.getTime() + delayMs).toISOString();
    const waits = `waits, because the ${failure.part} cannot be used at present; this is no fault of the job, which continues by itself (next attempt: ${next})`;
    return { kind: 'again', counts: { outages: outages + 1 }, delayMs, waits };
  }
  if (attempts + 1 < MAX_ATTEMPTS) {
    const counts = { attempts: attempts + 1 };
    return { kind: 'again', counts, delayMs: backoffMs(STEP_BACKOFF, attempts + 1), waits: null };
  }
  const reason = failure.kind === 'error' ? failure.reason : 'INTERNAL_ERROR';
  return { kind: 'failed', reason, cause: FAILURES[reason] };
}

/** Like judge. A step is the reason of its outages only if others are done meanwhile. */
async function judgeStep(trx: Knex.Transaction, jobId: string, row: Failed, failure: Failure): Promise<Judgement> {
  const isDoubtful = failure.kind === 'outage' && !failure.lasting && row.outages >= MAX_OUTAGES;
  return judge(row, isDoubtful && !(await othersAreServed(trx, jobId)) ? { ...failure, lasting: true } : failure);
}

async function othersAreServed(trx: Knex.Transaction, jobId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { served: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM (SELECT id, status, completed_at FROM job ORDER BY id DESC LIMIT ${JOBS_ASKED}) AS newest
       WHERE id <> ? AND status IN ('COMPLETED', 'COMPLETED_PARTIALLY')
         AND completed_at > now() - interval '${SERVED_WITHIN}') AS served`,
    [jobId],
  );
  return rows[0]?.served === true;
}

/** The end of a job of which a chunk has failed permanently; null when none has. @param applied rows that stay */
export function failedEnd(job: Pick<JobRow, 'reason' | 'status_message'>, applied: number): HowItEnds | null {
  const { reason } = job;
  if (!isFailedReason(reason)) return null;
  const cause = job.status_message ?? FAILURES[reason];
  const statusMessage = `${cause}; the ${applied} rows applied before remain; send the file again to apply the rest`;
  return { status: 'FAILED', statusMessage, reason };
}

function isFailedReason(reason: string | null): reason is FailedReason {
  return reason !== null && reason in FAILURES;
}

/** Records that a step failed that is not a chunk's. A step whose fencing token is no longer current is left alone. */
export function recordStepFailure(
  db: Db,
  types: JobTypes,
  { jobId, dispatch }: StepPayload,
  failure: Failure,
): Promise<FailureDecision> {
  return withRetries(db, async (trx) => {
    const row = await lockStep(trx, { jobId, dispatch });
    if (row === undefined || row.step === null || row.step === 'apply') return NOTHING;
    const judgement = await judgeStep(trx, jobId, row, failure);
    if (judgement.kind === 'failed') {
      await endAsFailed(trx, types, row, judgement);
      return { outboxEntries: [], delayMs: 0, ended: true };
    }
    // That of a job of which a chunk has failed says why.
    const message =
      judgement.kind === 'again' && !isFailedReason(row.reason) ? { status_message: judgement.waits } : {};
    await trx('job')
      .where({ id: jobId })
      .update({ ...judgement.counts, ...message });
    if (judgement.kind === 'counted') return NOTHING;
    const { delayMs } = judgement;
    const next =
      row.step === 'plan'
        ? await planAgain(trx, row, judgement)
        : await redispatch(trx, trx('job').where({ id: jobId }), judgement);
    const entry: JobOutboxEntry = { queue: row.step, payload: { jobId, dispatch: next } };
    return { outboxEntries: [await withSuspicion(trx, entry)], delayMs, ended: false };
  });
}

/** Locks the row of a job whose step failed, if the fencing token is current. */
async function lockStep(trx: Knex.Transaction, { jobId, dispatch }: StepPayload): Promise<JobRow | undefined> {
  const job = await Job.query(trx).findById(jobId).whereNull('completed_at').forNoKeyUpdate();
  if (job?.step === 'plan') return lockPlanStep(trx, { jobId, dispatch });
  return job?.dispatch === dispatch ? job : undefined;
}

type Again = Extract<Judgement, { kind: 'again' }>;

async function withSuspicion(trx: Knex.Transaction, entry: JobOutboxEntry): Promise<JobOutboxEntry> {
  const payload = { ...entry.payload, ...suspicionOf(await isSuspect(trx, entry)) };
  return { ...entry, payload } as JobOutboxEntry;
}

/** Enqueues the plan step again, whose fencing token is in the ordering queue of the site. */
async function planAgain(trx: Knex.Transaction, job: JobRow, { delayMs, waits }: Again): Promise<number> {
  const [entry] = await trx('job_order')
    .where({ site_id: job.site_id, position: job.line_no })
    .update({
      // Whatever failed, it is not to fail its neighbours again. An outage fails them anyway.
      ...(waits === null ? { batchable: false } : {}),
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
    })
    .returning('dispatch');
  return entry.dispatch;
}

/** Records that a chunk failed. When it has failed permanently, the job's finish step ends the job as FAILED. */
export function recordChunkFailure(
  db: Db,
  { jobId, chunk, dispatch }: StepPayload & { readonly chunk: number },
  failure: Failure,
): Promise<FailureDecision> {
  return withRetries(db, async (trx) => {
    const job = await trx('job').where({ id: jobId, step: 'apply' }).forNoKeyUpdate().first('id');
    const own = () => trx('job_chunk').where({ job_id: jobId, idx: chunk });
    const row = await own().where({ dispatch, status: 'dispatched' }).forNoKeyUpdate().first();
    if (job === undefined || row === undefined) return NOTHING;
    const judgement = await judgeStep(trx, jobId, row, failure);
    if (judgement.kind === 'failed') {
      const entry = await enqueueStep(trx, jobId, 'finish');
      const { reason, cause } = judgement;
      await trx('job').where({ id: jobId }).update({ reason, status_message: cause });
      return { outboxEntries: [entry], delayMs: 0, ended: false };
    }
    await own().update(judgement.counts);
    if (judgement.kind === 'counted') return NOTHING;
    const { delayMs, waits } = judgement;
    if (waits !== null) await trx('job').where({ id: jobId }).update({ status_message: waits });
    const next = await redispatch(trx, own(), judgement);
    const entry: JobOutboxEntry = { queue: 'apply', payload: { jobId, chunk, dispatch: next } };
    return { outboxEntries: [await withSuspicion(trx, entry)], delayMs, ended: false };
  });
}

/**
 * Records that a batch has met an outage, in the jobs whose steps were due. Nothing of it was committed, so the same jobs
 * can be executed together when the outage has ended.
 * @returns after how many milliseconds; null when each of them is to be executed by itself, because an outage that only
 *   they meet may be the fault of one of them
 */
export function recordBatchOutage(
  db: Db,
  steps: readonly StepPayload[],
  failure: Extract<Failure, { kind: 'outage' }>,
): Promise<number | null> {
  return withRetries(db, async (trx) => {
    const result = await trx.raw<{ rows: { id: string; outages: number; site_id: number; line_no: number }[] }>(
      `SELECT job.id, job.outages, job.site_id, job.line_no FROM jsonb_to_recordset(?::jsonb) AS given ("jobId" text, dispatch integer)
       CROSS JOIN LATERAL (
         SELECT id, outages, site_id, line_no FROM job
         WHERE id = given."jobId" COLLATE "C" AND step = 'plan' AND completed_at IS NULL AND started_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job
       CROSS JOIN LATERAL (
         SELECT position FROM job_order
         WHERE job_order.site_id = job.site_id AND position = job.line_no AND job_order.dispatch = given.dispatch
         LIMIT 1) AS own`,
      [JSON.stringify(steps)],
    );
    const outages = Math.max(0, ...result.rows.map((row) => row.outages));
    const judgement = judge({ attempts: 0, outages, deaths: 0 }, failure);
    if (judgement.kind !== 'again' || judgement.waits === null) return null;
    await trx('job')
      .whereIn(
        'id',
        result.rows.map(({ id }) => id),
      )
      .update({ ...judgement.counts, status_message: judgement.waits });
    // They are not overdue while their batch waits.
    await trx.raw(
      `UPDATE job_order SET dispatched_at = now() + :delayMs * interval '1 millisecond'
       WHERE site_id = ANY (:siteIds::integer[]) AND position = ANY (:positions::bigint[])`,
      {
        delayMs: judgement.delayMs,
        siteIds: [...new Set(result.rows.map(({ site_id: siteId }) => siteId))],
        positions: result.rows.map(({ line_no: position }) => position),
      },
    );
    return judgement.delayMs;
  });
}

/** Ends a job as FAILED. Rows that were committed before stay and are counted. */
async function endAsFailed(
  trx: Knex.Transaction,
  types: JobTypes,
  row: JobRow,
  { reason, cause }: { readonly reason: FailedReason; readonly cause: string },
): Promise<void> {
  const failed = { status: 'FAILED', reason } as const;
  const job = readable(types, row);
  if (job?.jobType.oneStep !== undefined) {
    const { failed: message } = job.jobType.oneStep;
    await endJob(trx, row.id, { ...failed, statusMessage: reason === 'INTERNAL_ERROR' ? message : cause });
    return;
  }
  const undone = job?.isAtomic === true && (row.step !== 'finish' || job.isDryRun);
  if (undone) await recordNothingApplied(trx, row.id);
  const counts = await sumCounts(trx, row.id);
  const applied = counts.created + counts.updated + counts.unchanged;
  await endJob(trx, row.id, {
    ...failed,
    statusMessage: undone
      ? `${cause}; none of its rows was applied, send it again`
      : `${cause}; the ${applied} rows applied before stay, send it again to apply the rest`,
    counts,
  });
}

/** Undefined when options or plan cannot be parsed: that may be why the job failed, and must not prevent its end. */
function readable(types: JobTypes, row: JobRow): LoadedJob | undefined {
  try {
    return parseJob(types, row);
  } catch {
    return undefined;
  }
}

async function redispatch(trx: Knex.Transaction, row: Knex.QueryBuilder, { delayMs }: Again): Promise<number> {
  const [updated] = await row
    .update({
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
    })
    .returning('dispatch');
  return updated.dispatch;
}
