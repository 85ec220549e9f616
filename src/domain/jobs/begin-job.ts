/** Begins jobs when their turn has come. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { lockPlanStep } from './job-steps.js';
import { BEGINS_AT } from './model/job-times.js';
import type { JobTypes, LoadedJob } from './model/job-type.js';
import { parseJob } from './model/job-type.js';
import type { StepPayload } from './model/step-payload.js';
import { hold, loadFront, lockBegin, recordBegin, tryLockBegin } from './order/site-order.js';
import type { Place } from './order/turns.js';
import { mayBegin } from './order/turns.js';

/** What beginJob needs from the feature that executes the job. */
export interface BeginHooks<Job extends LoadedJob> {
  readonly types: JobTypes<Job>;
  /** SQL: what to select in addition to the job's columns. */
  readonly besides: string;
  /** Whether a job that was accepted as concurrent has to run exclusively after all. @param row with what `besides` selects */
  runsAlone(row: object): boolean;
  /**
   * Fixes the definitions that jobs use, each of another site.
   * @returns their version for each job, in order; 0 when it uses the current ones at each step
   */
  fixDefinitions(trx: Db, jobs: readonly Job[]): Promise<readonly number[]>;
}

/** The outcome of beginJob. */
export type BeginOutcome<Job extends LoadedJob> =
  | { readonly kind: 'begun'; readonly job: Job; readonly definitionsVersion: number }
  /** The fencing token is no longer current, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** Other jobs of the site come first; the end of one of them releases this job. */
  | { readonly kind: 'held'; readonly siteId: number };

/**
 * Begins a job within `trx`, which then holds the lock of the job's row and the lock under which jobs of the site
 * begin. A job that has begun before (its worker died) begins again without waiting.
 */
export async function beginJob<Job extends LoadedJob>(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<BeginOutcome<Job>> {
  const row = await lockPlanStep(trx, { jobId, dispatch }, hooks.besides);
  if (row === undefined || row.line_no === null) return { kind: 'stale' };
  const job = parseJob(hooks.types, row);
  if (job.started_at !== null && job.definitions_version !== null) {
    return { kind: 'begun', job, definitionsVersion: job.definitions_version };
  }
  const concurrent = job.shared && !hooks.runsAlone(job);
  const place = { position: row.line_no, concurrent };
  const isTurn = async () => mayBegin(await loadFront(trx, job.site_id), place);
  if (!(await tryLockBegin(trx, job.site_id, place))) {
    // Another job begins, or executes a request in one transaction. A job that has to wait anyway should not occupy a
    // worker meanwhile.
    if (!(await isTurn())) return holdJob(trx, job.site_id, place);
    await lockBegin(trx, job.site_id, place);
  }
  if (!(await isTurn())) return holdJob(trx, job.site_id, place);
  const [definitionsVersion = 0] = await hooks.fixDefinitions(trx, [job]);
  await trx('job')
    .where({ id: jobId })
    .update({
      status: 'IN_PROGRESS',
      started_at: trx.raw(BEGINS_AT),
      definitions_version: definitionsVersion,
      shared: concurrent,
      status_message: null,
      updated_at: new Date(),
    });
  await recordBegin(trx, job.site_id, place);
  return { kind: 'begun', job, definitionsVersion };
}

async function holdJob(trx: Knex.Transaction, siteId: number, place: Place): Promise<{ kind: 'held'; siteId: number }> {
  await hold(trx, siteId, place);
  return { kind: 'held', siteId };
}
