/** Assigns jobs their positions in the ordering queue of their site. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { placeJob } from './order/place.js';

/** Jobs of a site placed by one call; the next end of a job, or the reconciler, continues. */
const PLACED_AT_ONCE = 20;

/**
 * Assigns positions to the jobs of a site, or of all sites, that a committed transaction has recorded without one. Jobs
 * accepted later come after them.
 * @returns what to enqueue
 */
export async function placeUnplacedJobs(db: Db, siteId: number | null, limit = PLACED_AT_ONCE): Promise<OutboxEntry[]> {
  const jobs = db('job').where({ step: 'plan' }).whereNull('line_no').whereNull('completed_at').limit(limit);
  if (siteId !== null) jobs.where({ site_id: siteId });
  const rows: { id: string }[] = await jobs.select('id');
  const outboxEntries: OutboxEntry[] = [];
  for (const { id } of rows) outboxEntries.push(...(await placeJob(db, id)).outboxEntries);
  return outboxEntries;
}
