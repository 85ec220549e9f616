/** Releases jobs that are held although their turn has come, in every site. */
import type { Db } from '../../../../../db/connection.js';
import type { StepPayload } from '../../../../queues/define-queue.js';
import type { JobOutboxEntry, OutboxEntry } from '../../../../queues/outbox.js';
import type { JobTypes } from '../../../job-model/job-type.js';
import { loadFronts, type SiteFront } from '../../order/reconciled-fronts.js';
import { removeEnded, sweep } from '../../order/sweep.js';
import { dueOf } from '../../order/turns.js';
import { placeUnplacedJobs } from '../../place-jobs.js';
import { releaseDue } from '../../release-jobs.js';
import { releaseHeld } from '../../single-step/site-window.js';

/** The most jobs without a position that one run of the reconciler places. */
const UNPLACED = 500;
/** Sites whose fronts one statement reads. */
const SITES = 500;

/** Places unplaced jobs, and releases held jobs of a single step, in all sites. @returns what to enqueue */
export async function releaseLost(db: Db, types: JobTypes): Promise<OutboxEntry[]> {
  const outboxEntries: OutboxEntry[] = await placeUnplacedJobs(db, null, UNPLACED);
  for (const type of Object.values(types)) outboxEntries.push(...(await releaseHeld(db, type, null)));
  return outboxEntries;
}

/** What the reconciler finds in the ordering queue of one site. */
interface SiteEntries {
  /** Released jobs to enqueue. */
  readonly due: OutboxEntry[];
  /** Plan steps that have been due for so long that the queue may have lost them. */
  readonly overdue: JobOutboxEntry[];
  /** The same of small jobs, which share queue jobs. */
  readonly overdueBatched: BatchedStep[];
}

/** The plan step of a small job. */
export interface BatchedStep {
  readonly payload: StepPayload;
  readonly dispatchedAt: Date;
}

/**
 * Goes through the ordering queues of all sites that have jobs, and sweeps them. It reads only the front of each: jobs
 * behind it are enqueued when their turn comes.
 * @param graceMs how long a plan step may have been due before it is overdue
 */
export async function* reconcileOrders(db: Db, graceMs: number): AsyncGenerator<SiteEntries> {
  for (let after = 0; ; ) {
    const sites = await loadFronts(db, after, SITES, graceMs);
    for (const site of sites) yield await reconcileSite(db, site);
    const last = sites.at(-1);
    if (last === undefined) return;
    const siteIds = sites.map(({ siteId }) => siteId);
    await sweep(db, siteIds);
    if (sites.length < SITES) return;
    after = last.siteId;
  }
}

async function reconcileSite(db: Db, { siteId, front }: SiteFront): Promise<SiteEntries> {
  const ended = front.filter(({ hasEnded }) => hasEnded);
  if (ended.length > 0) {
    const positions = ended.map(({ position }) => position);
    await removeEnded(db, siteId, positions);
  }
  const due = ended.length > 0 || dueOf(front).length > 0 ? await releaseDue(db, [siteId]) : [];
  const overdue: JobOutboxEntry[] = [];
  const overdueBatched: BatchedStep[] = [];
  for (const entry of front) {
    if (!entry.overdue || !entry.inPlan || entry.hasEnded || entry.state === 'h') continue;
    const payload = { jobId: entry.jobId, dispatch: entry.dispatch };
    if (entry.batchable) overdueBatched.push({ payload, dispatchedAt: entry.dispatchedAt });
    else overdue.push({ queue: 'plan', payload });
  }
  return { due, overdue, overdueBatched };
}
