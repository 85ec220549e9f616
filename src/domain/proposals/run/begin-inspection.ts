/** Begins an attempt to inspect a file, which makes it the current attempt of its job. */
import type { Knex } from 'knex';
import { lockJobStep } from '../../jobs/job-steps.js';
import { parseJob } from '../../jobs/model/job-type.js';
import type { StepPayload } from '../../jobs/model/step-payload.js';
import { beginOneStep } from '../../jobs/single-step.js';
import { INSPECTION_JOBS, type InspectionJob } from '../model/inspection-job.js';

/** An attempt that has begun. */
export interface InspectionAttempt extends StepPayload {
  readonly job: InspectionJob;
  /** Counted from 1. When a worker dies, the same outbox entry is attempted again. */
  readonly attempt: number;
}

type BeginInspection =
  | { readonly kind: 'begun'; readonly attempt: InspectionAttempt }
  /** The fencing token is outdated, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** The site already has as many files inspected as it may; the end of one of them releases this one. */
  | { readonly kind: 'held'; readonly siteId: number };

export async function beginInspection(trx: Knex.Transaction, payload: StepPayload): Promise<BeginInspection> {
  const job = await lockInspection(trx, payload);
  if (job === undefined) return { kind: 'stale' };
  const attempt = (job.plan?.attempt ?? 0) + 1;
  const startedAt = await beginOneStep(trx, job, { plan: { attempt }, totalCount: null });
  if (startedAt === null) return { kind: 'held', siteId: job.site_id };
  return { kind: 'begun', attempt: { ...payload, job, attempt } };
}

/** Locks the job's row. @returns whether the attempt is still current */
export async function lockAttempt(trx: Knex.Transaction, { attempt, ...payload }: InspectionAttempt): Promise<boolean> {
  const job = await lockInspection(trx, payload);
  return job?.plan?.attempt === attempt;
}

async function lockInspection(trx: Knex.Transaction, payload: StepPayload): Promise<InspectionJob | undefined> {
  const row = await lockJobStep(trx, payload, 'inspect');
  return row === undefined ? undefined : parseJob(INSPECTION_JOBS, row);
}
