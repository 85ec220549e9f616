/** The steps of a job: their locks and fencing tokens, and what they record of it. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { stepMark } from '../../../db/advisory-locks.js';
import { Job, type JobRow } from '../../../db/models/job.js';
import type { StepPayload } from '../../queues/define-queue.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { SingleStep } from './steps/single-steps.js';

/**
 * Locks a job's row, if the fencing token is current.
 * @returns the row as it is in the table, its options and plan unparsed
 */
export async function lockJobStep(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  step: 'plan' | 'apply-all' | 'finish' | SingleStep,
): Promise<JobRow | undefined> {
  if (step === 'plan') return lockPlanStep(trx, { jobId, dispatch });
  const job = await Job.query(trx)
    .findById(jobId)
    .select('job.*', raw(stepMark('job.id')))
    .forNoKeyUpdate();
  if (job === undefined || !isCurrentToken(`job ${jobId}`, dispatch, job.dispatch)) return undefined;
  return job.completed_at === null && job.step === step ? job : undefined;
}

/** The fencing token of the plan step is in job_order. Locks the job's row there as well. */
async function lockPlanStep(trx: Knex.Transaction, { jobId, dispatch }: StepPayload): Promise<JobRow | undefined> {
  const found: (JobRow & { readonly plan_dispatch: number }) | undefined = await Job.query(trx)
    .findById(jobId)
    .select('job.*', 'job_order.dispatch as plan_dispatch', raw(stepMark('job.id')))
    .joinRaw('JOIN job_order ON job_order.site_id = job.site_id AND job_order.position = job.line_no')
    .where({ 'job.step': 'plan' })
    .whereNull('job.completed_at')
    .forNoKeyUpdate()
    .castTo<JobRow & { readonly plan_dispatch: number }>();
  return found !== undefined && isCurrentToken(`job ${jobId}`, dispatch, found.plan_dispatch) ? found : undefined;
}

/**
 * Records other options of a job, or has its later rows checked by other definitions. The caller's transaction has locked
 * the job's row, or applies one of its chunks.
 */
export async function recordOptions(
  trx: Knex.Transaction,
  jobId: string,
  { options, definitionsVersion }: { readonly options?: object; readonly definitionsVersion?: number | undefined },
): Promise<void> {
  await trx('job')
    .where({ id: jobId })
    .update({
      ...(options === undefined ? {} : { options: JSON.stringify(options) }),
      ...(definitionsVersion === undefined ? {} : { definitions_version: definitionsVersion }),
      updated_at: trx.fn.now(),
    });
}

/** What the last step of a job is to say of it, and what is to be added to the options of the job. */
interface StepNote {
  readonly reason?: string | undefined;
  readonly message: string | null;
  readonly options?: object | undefined;
}

/** Records a note. The caller's transaction has locked the job's row. A step that is enqueued afterwards has no message. */
export async function recordNote(
  trx: Knex.Transaction,
  jobId: string,
  { reason, message, options }: StepNote,
): Promise<void> {
  await trx('job')
    .where({ id: jobId })
    .update({
      status_message: message,
      ...(reason === undefined ? {} : { reason }),
      ...(options === undefined ? {} : { options: trx.raw('options || ?::jsonb', [JSON.stringify(options)]) }),
    });
}
