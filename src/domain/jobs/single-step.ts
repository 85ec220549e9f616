/** Jobs of a single step: how they begin or are held, and record their progress. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../db/models/job.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { LoadedJob } from '../job-model/job-type.js';
import { hasRoom, windowOf } from './single-step/site-window.js';
import { BEGINS_AT } from './steps/times.js';

/** What is recorded when an attempt at a job of a single step begins. */
interface OneStepBegin {
  /** Absent when jobs of its type have no plan. */
  readonly plan?: object;
  /** Null when it is not known yet. */
  readonly totalCount: number | null;
}

/**
 * Begins an attempt at a job of a single step, whose row the transaction has locked, unless the window of its site is
 * full.
 * @returns when the job's first attempt began; null when the job is held until another one ends
 */
export async function beginOneStep(
  trx: Knex.Transaction,
  job: Pick<LoadedJob, 'id' | 'site_id' | 'started_at' | 'jobType'>,
  { plan, totalCount }: OneStepBegin,
): Promise<Date | null> {
  const window = windowOf(job.jobType);
  if (job.started_at === null && window !== null && !(await hasRoom(trx, window, job.site_id, job.id))) {
    await trx('job').where({ id: job.id }).update({ dispatched_at: null, updated_at: trx.fn.now() });
    return null;
  }
  const [begun] = await trx('job')
    .where({ id: job.id })
    .update({
      status: 'IN_PROGRESS',
      started_at: trx.raw(`coalesce(job.started_at, ${BEGINS_AT})`),
      status_message: null,
      ...(plan === undefined ? {} : { plan: JSON.stringify(plan) }),
      total_count: totalCount,
      processed_count: 0,
      updated_at: trx.fn.now(),
    })
    .returning('started_at');
  return begun.started_at;
}

/** The progress of a job of a single step; absent members stay as they are. */
export interface OneStepProgress {
  readonly totalCount?: number;
  readonly processedCount?: number;
  readonly createdCount?: number;
  readonly updatedCount?: number;
  readonly outputFileId?: string;
  /** What was noticed; null: nothing. */
  readonly warnings?: readonly ErrorSummaryLine[] | null;
  /** Members that the job's plan gets besides. */
  readonly plan?: object;
  /** The job is still being executed: the reconciler need not look for it on the queue for a while. */
  readonly goesOn?: true;
}

/**
 * Records the progress of a job of a single step, if the fencing token is current.
 * @param plan members that the job's plan must have too; absent: the plan is not compared
 * @returns whether the fencing token and the plan are current
 */
export async function recordProgress(
  db: Db,
  { jobId, dispatch }: StepPayload,
  {
    totalCount,
    processedCount,
    createdCount,
    updatedCount,
    outputFileId,
    warnings = null,
    plan: noted,
    goesOn,
  }: OneStepProgress,
  plan?: object,
): Promise<boolean> {
  const job = db('job').where({ id: jobId, dispatch }).whereNull('completed_at');
  if (plan !== undefined) job.whereRaw('plan @> ?::jsonb', [JSON.stringify(plan)]);
  const counted = await job.update({
    updated_at: db.fn.now(),
    ...(totalCount === undefined ? {} : { total_count: totalCount }),
    ...(processedCount === undefined ? {} : { processed_count: processedCount }),
    ...(createdCount === undefined ? {} : { created_count: createdCount }),
    ...(updatedCount === undefined ? {} : { updated_count: updatedCount }),
    ...(outputFileId === undefined ? {} : { output_file_id: outputFileId }),
    ...(warnings === null ? {} : { warnings: JSON.stringify(warnings) }),
    ...(noted === undefined ? {} : { plan: db.raw('plan || ?::jsonb', [JSON.stringify(noted)]) }),
    ...(goesOn === undefined ? {} : { dispatched_at: db.fn.now() }),
  });
  return counted > 0;
}
