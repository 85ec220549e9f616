/** Records that steps, chunks and batches failed, and enqueues them again or ends their jobs. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job, type JobRow } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import { sumCounts } from './apply-chunks.js';
import { recordNothingApplied } from './atomic-chunks.js';
import { endJob } from './end-job.js';
import { type Judgement, judge, judgeStep } from './failure/judge-failure.js';
import { enqueueStep, lockPlanStep } from './job-steps.js';
import { type FailedReason, type Failure, isFailedReason } from './model/failure.js';
import { type JobTypes, type LoadedJob, parseJob } from './model/job-type.js';
import { type StepPayload, suspicionOf } from './model/step-payload.js';
import { isSuspect } from './suspects.js';

/** What to enqueue after a failure, and with which delay; `ended`: the failure has ended the job. */
interface FailureDecision {
  readonly outboxEntries: OutboxEntry[];
  readonly delayMs: number;
  readonly ended: boolean;
}

const NOTHING: FailureDecision = { outboxEntries: [], delayMs: 0, ended: false };

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
