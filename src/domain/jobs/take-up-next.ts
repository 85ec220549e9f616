/** Releases what waited for a job's end: the next of its site's order, or the next export. */
import type { Db } from '../../../db/connection.js';
import type { Job } from '../../../db/models/job.js';
import type { Dispatch } from '../../queues/outbox.js';
import { placeJob, unplacedJobs } from './accept-job.js';
import { takeUpExports } from './export-window.js';
import { releaseDue, sweep, sweepsAt } from './site-order.js';

/** Jobs that one end gives their places; the next end, or the reconciler, goes on. */
const PLACED_AT_ONCE = 20;

/** @returns what to enqueue */
export async function takeUpNext(
  db: Db,
  { site_id: siteId, kind, line_no: position }: Pick<Job, 'site_id' | 'kind' | 'line_no'>,
): Promise<Dispatch[]> {
  if (kind === 'export') return takeUpExports(db, siteId);
  const dispatches: Dispatch[] = [];
  if (kind === 'attribute' || kind === 'category') {
    for (const jobId of await unplacedJobs(db, siteId, PLACED_AT_ONCE)) {
      dispatches.push(...(await placeJob(db, jobId)).dispatches);
    }
  }
  dispatches.push(...(await releaseDue(db, siteId)));
  if (position !== null && sweepsAt(position)) await sweep(db, [siteId]);
  return dispatches;
}
