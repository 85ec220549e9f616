/** Begins an attempt to write an export, which makes it the current attempt of its job. */
import type { Knex } from 'knex';
import { lockJobStep } from '../../jobs/job-steps.js';
import { parseJob } from '../../jobs/model/job-type.js';
import type { StepPayload } from '../../jobs/model/step-payload.js';
import { beginOneStep } from '../../jobs/single-step.js';
import { EXPORT_JOBS, type ExportJob } from '../model/export-job.js';

/** An attempt that has begun. */
export interface ExportAttempt extends StepPayload {
  readonly job: ExportJob;
  readonly startedAt: Date;
  /** Counted from 1. When a worker dies, the same outbox entry is attempted again. */
  readonly attempt: number;
}

type BeginExport =
  | { readonly kind: 'begun'; readonly attempt: ExportAttempt }
  /** The fencing token is outdated, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** The site already runs as many exports as it may; the end of one of them releases this one. */
  | { readonly kind: 'held'; readonly siteId: number };

export async function beginExport(trx: Knex.Transaction, payload: StepPayload): Promise<BeginExport> {
  const job = await lockExport(trx, payload);
  if (job === undefined) return { kind: 'stale' };
  const attempt = (job.plan?.attempt ?? 0) + 1;
  const startedAt = await beginOneStep(trx, job, { plan: { attempt }, totalCount: null });
  if (startedAt === null) return { kind: 'held', siteId: job.site_id };
  return { kind: 'begun', attempt: { ...payload, job, startedAt, attempt } };
}

/** Locks the job's row. @returns whether the attempt is still current */
export async function lockAttempt(trx: Knex.Transaction, { attempt, ...payload }: ExportAttempt): Promise<boolean> {
  const job = await lockExport(trx, payload);
  return job?.plan?.attempt === attempt;
}

async function lockExport(trx: Knex.Transaction, payload: StepPayload): Promise<ExportJob | undefined> {
  const row = await lockJobStep(trx, payload, 'export');
  return row === undefined ? undefined : parseJob(EXPORT_JOBS, row);
}
