/** Records that steps and chunks failed, and enqueues them again or ends their jobs. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job, type JobRow } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import { type JobTypes, type LoadedJob, parseJob } from '../job-model/job-type.js';
import { recordNothingApplied } from './chunks/atomic-chunks.js';
import { sumCounts } from './chunks/sum-counts.js';
import { endJob } from './end-job.js';
import { remainingRows } from './ends/failed-end.js';
import type { Judgement } from './failure/judge-failure.js';
import { judgeStep } from './failure/judge-step.js';
import { type FailedReason, isFailedReason } from './failure/reasons.js';
import { lockJobStep } from './job-steps.js';
import type { Failure } from './model/failure.js';
import { planStep } from './order/positions.js';
import { enqueueStep } from './steps/enqueue-step.js';
import { withSuspicion } from './steps/suspicion.js';

/** A step that failed: that of a chunk, or another one of its job. */
type FailedStep = StepPayload & { readonly chunk?: number | undefined };

/** What to enqueue after a failure, and with which delay. */
interface FailureDecision {
  readonly outboxEntries: OutboxEntry[];
  readonly delayMs: number;
  /** `permanently`: the step is not executed again. `ended`: nor is any other, because the failure has ended the job. */
  readonly outcome: 'goes-on' | 'permanently' | 'ended';
}

const NOTHING: FailureDecision = { outboxEntries: [], delayMs: 0, outcome: 'goes-on' };

/**
 * Records that a step failed. A step whose fencing token is no longer current is left alone. When a chunk has failed
 * permanently, the finish step ends its job as FAILED; any other step ends it at once.
 */
export function recordFailure(db: Db, types: JobTypes, step: FailedStep, failure: Failure): Promise<FailureDecision> {
  return withRetries(db, async (trx) => {
    const failed = await lockFailed(trx, step);
    if (failed === undefined) return NOTHING;
    const judgement = await judgeStep(trx, step.jobId, failed.row, failure);
    if (judgement.kind === 'failed') return failPermanently(trx, types, failed, judgement);
    await failed.own().update(judgement.counts);
    if (judgement.kind === 'counted') return NOTHING;
    await noteWait(trx, failed, judgement);
    const entry = await dispatchAgain(trx, failed, judgement);
    return { outboxEntries: [entry], delayMs: judgement.delayMs, outcome: 'goes-on' };
  });
}

/** The rows of a step that failed, which the transaction has locked. */
interface LockedFailure {
  readonly job: JobRow;
  /** The entry of the step as it was. */
  readonly entry: JobOutboxEntry;
  /** The row that counts its failures: the chunk's, or the job's. */
  readonly row: Pick<JobRow, 'attempts' | 'outages' | 'deaths'>;
  readonly own: () => Knex.QueryBuilder;
}

/** @returns undefined when the fencing token is no longer current */
async function lockFailed(trx: Knex.Transaction, step: FailedStep): Promise<LockedFailure | undefined> {
  const { jobId, dispatch, chunk } = step;
  const job = await Job.query(trx).findById(jobId).whereNull('completed_at').forNoKeyUpdate();
  if (job === undefined || job.step === null) return undefined;
  if (chunk !== undefined) {
    const own = () => trx('job_chunk').where({ job_id: jobId, idx: chunk });
    const row = await own().where({ dispatch, status: 'dispatched' }).forNoKeyUpdate().first();
    const isDue = job.step === 'apply' && row !== undefined;
    return isDue ? { job, entry: { queue: 'apply', payload: { jobId, chunk, dispatch } }, row, own } : undefined;
  }
  if (job.step === 'apply') return undefined;
  const isCurrent =
    job.step === 'plan' ? (await lockJobStep(trx, step, 'plan')) !== undefined : job.dispatch === dispatch;
  if (!isCurrent) return undefined;
  const own = () => trx('job').where({ id: jobId });
  return { job, entry: { queue: job.step, payload: { jobId, dispatch } }, row: job, own };
}

async function failPermanently(
  trx: Knex.Transaction,
  types: JobTypes,
  { job, entry }: LockedFailure,
  judgement: Extract<Judgement, { kind: 'failed' }>,
): Promise<FailureDecision> {
  if (entry.queue !== 'apply') {
    await endAsFailed(trx, types, job, judgement);
    return { outboxEntries: [], delayMs: 0, outcome: 'ended' };
  }
  const finish = await enqueueStep(trx, job.id, 'finish');
  const { reason, cause } = judgement;
  await trx('job').where({ id: job.id }).update({ reason, status_message: cause });
  return { outboxEntries: [finish], delayMs: 0, outcome: 'permanently' };
}

type Again = Extract<Judgement, { kind: 'again' }>;

/** Records why the job waits, as clients see it; or that it no longer does, unless other chunks may. */
async function noteWait(trx: Knex.Transaction, { job, entry }: LockedFailure, { waits }: Again): Promise<void> {
  const isChunk = entry.queue === 'apply';
  // The message of a job of which a chunk has failed says why.
  if (isChunk ? waits === null : isFailedReason(job.reason)) return;
  await trx('job').where({ id: job.id }).update({ status_message: waits });
}

/** Dispatches the step under another fencing token, after a delay. @returns what to enqueue */
async function dispatchAgain(
  trx: Knex.Transaction,
  { job, entry, own }: LockedFailure,
  { delayMs, waits }: Again,
): Promise<OutboxEntry> {
  const isPlan = entry.queue === 'plan';
  const row = isPlan ? trx('job_order').where({ site_id: job.site_id, position: job.line_no }) : own();
  const [{ dispatch, batchable = false }] = await row
    .update({
      // Whatever failed in a plan step, it is not to fail its neighbours again. An outage fails them anyway.
      ...(isPlan && waits === null ? { batchable: false } : {}),
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
    })
    .returning(isPlan ? ['dispatch', 'batchable'] : ['dispatch']);
  const again = { ...entry, payload: { ...entry.payload, dispatch } } as JobOutboxEntry;
  const suspected = await withSuspicion(trx, again);
  return suspected.queue === 'plan' ? planStep(suspected.payload, batchable && !suspected.payload.suspect) : suspected;
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
      : `${cause}; ${remainingRows(applied)}; send it again${applied > 0 ? ' to apply the rest' : ''}`,
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
