/** Begins a job by itself when its turn has come. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { LoadedJob } from '../job-model/job-type.js';
import { isCurrentToken } from '../kernel/invariant.js';
import { beginJobs } from './begin/begin-jobs.js';
import { factsOf, loadFrontsOfSteps } from './begin/fronts-of-steps.js';
import type { BeginHooks } from './model/begin-hooks.js';
import type { BegunJob } from './model/begun-job.js';
import type { FoundBatch } from './model/found-batch.js';
import { holdWaiting } from './order/site-order.js';
import { mayBegin } from './order/turns.js';

/** The outcome of beginAlone. */
type BeginOutcome<Job extends LoadedJob> =
  | { readonly kind: 'begun'; readonly begun: BegunJob<Job>; readonly definitionsVersion: number }
  /** The fencing token is no longer current, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** Other jobs of the site come first; the end of one of them releases this job. */
  | { readonly kind: 'held'; readonly siteId: number };

/**
 * Begins a job by itself, whatever its size: see beginJobs. It waits for transactions that have locked its row or its site.
 * A job that has begun before (its worker died) begins again.
 */
export async function beginAlone<Job extends LoadedJob>(
  trx: Knex.Transaction,
  step: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<BeginOutcome<Job>> {
  const found = await findAlone(trx, step, hooks);
  if (found === undefined) return { kind: 'stale' };
  const { siteId } = found;
  if (found.entries.length > 0) {
    const { sites } = await beginJobs(trx, [found], hooks, true);
    const [begun] = sites[0]?.jobs ?? [];
    return begun === undefined
      ? { kind: 'stale' }
      : { kind: 'begun', begun, definitionsVersion: sites[0]?.definitionsVersion ?? 0 };
  }
  await holdWaiting(trx, siteId, found.own, found.concurrent);
  return { kind: 'held', siteId };
}

/**
 * Finds a job that is executed by itself. Its `entries` are empty while others of its site come first.
 * @returns undefined when its plan step is done, or has another fencing token
 */
async function findAlone<Job extends LoadedJob>(
  db: Db,
  step: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<FoundBatch | undefined> {
  const front = await loadFrontsOfSteps(db, [step], hooks);
  const [first] = front;
  if (first === undefined) return undefined;
  const { own_position: position, shared, site_id: siteId, account_id: accountId } = first;
  const entry = front.find(({ jobId }) => jobId === step.jobId);
  if (entry !== undefined && !isCurrentToken(`job ${step.jobId}`, step.dispatch, entry.dispatch)) return undefined;
  const concurrent = shared && !hooks.runsAlone(first);
  const isDue = entry !== undefined && (entry.state === 'r' || mayBegin(front, { position, concurrent }));
  return { siteId, accountId, own: step, facts: factsOf(first), entries: isDue ? [entry] : [], concurrent };
}
