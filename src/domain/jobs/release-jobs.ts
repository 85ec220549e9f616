/** Releases held jobs of sites when their turn has come. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { loadFrontsOf, release } from './order/site-order.js';
import { dueOf } from './order/turns.js';

/**
 * Releases the held jobs of sites whose turn has come. Call it after the commit that ends or holds a job: when both
 * happen at the same time, at least one of the two calls sees the other's commit.
 * @returns what to enqueue
 */
export async function releaseDue(db: Db, siteIds: readonly number[]): Promise<OutboxEntry[]> {
  if (siteIds.length === 0) return [];
  const fronts = [...(await loadFrontsOf(db, siteIds))];
  const due = fronts.flatMap(([, front]) => dueOf(front));
  if (due.length === 0) return [];
  const sites = fronts.flatMap(([siteId, front]) => (dueOf(front).length > 0 ? [siteId] : []));
  return release(db, sites, due);
}
