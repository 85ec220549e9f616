/** The moment at which an attempt to write an export begins: it is the one that counts from then on. */
import type { Knex } from 'knex';
import { Job } from '../../../../db/models/job.js';
import { hasRoom } from '../../jobs/export-window.js';

/** An attempt under way. */
export interface ExportAttempt {
  readonly job: Job;
  readonly dispatch: number;
  /** From 1. A dispatch that its worker did not survive is attempted again. */
  readonly attempt: number;
}

export type BeginExport =
  | { readonly kind: 'begun'; readonly attempt: ExportAttempt }
  /** Another dispatch has taken over, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** As many of the site run as may; whoever ends takes it up again. */
  | { readonly kind: 'parked'; readonly siteId: number };

export async function beginExport(trx: Knex.Transaction, jobId: string, dispatch: number): Promise<BeginExport> {
  const job = await lockExport(trx, jobId, dispatch);
  if (job === undefined) return { kind: 'stale' };
  if (job.started_at === null && !(await hasRoom(trx, job.site_id, jobId))) {
    await Job.query(trx).findById(jobId).patch({ dispatched_at: null, updated_at: new Date() });
    return { kind: 'parked', siteId: job.site_id };
  }
  const attempt = attemptsOf(job) + 1;
  await Job.query(trx)
    .findById(jobId)
    .patch({
      status: 'IN_PROGRESS',
      started_at: job.started_at ?? new Date(),
      plan: { attempt },
      total_count: null,
      processed_count: 0,
      updated_at: new Date(),
    });
  return { kind: 'begun', attempt: { job, dispatch, attempt } };
}

/** Locks the job's row, if the attempt still counts. */
export async function lockAttempt(trx: Knex.Transaction, one: ExportAttempt): Promise<Job | undefined> {
  const job = await lockExport(trx, one.job.id, one.dispatch);
  return job !== undefined && attemptsOf(job) === one.attempt ? job : undefined;
}

/** How often writing it was begun. */
export function attemptsOf({ plan }: Pick<Job, 'plan'>): number {
  return typeof plan?.attempt === 'number' ? plan.attempt : 0;
}

async function lockExport(trx: Knex.Transaction, jobId: string, dispatch: number): Promise<Job | undefined> {
  const job = await Job.query(trx).findById(jobId).where({ kind: 'export', dispatch }).forNoKeyUpdate();
  return job?.completed_at === null && job.step === 'export' ? job : undefined;
}
