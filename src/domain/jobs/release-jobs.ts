/** Releases held jobs of a site when their turn has come. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { loadFront, loadFrontsOf, release } from './order/site-order.js';
import { dueOf } from './order/turns.js';

/**
 * Releases the held jobs of a site whose turn has come. Call it after the commit that ends or holds a job: when both
 * happen at the same time, at least one of the two calls sees the other's commit.
 * @returns what to enqueue
 */
export async function releaseDue(db: Db, siteId: number): Promise<OutboxEntry[]> {
  const due = dueOf(await loadFront(db, siteId));
  return due.length === 0 ? [] : release(db, [siteId], due);
}

/** Like releaseDue for several sites, whose fronts it loads at once. */
export async function releaseDueOf(db: Db, siteIds: readonly number[]): Promise<OutboxEntry[]> {
  if (siteIds.length === 0) return [];
  const fronts = [...(await loadFrontsOf(db, siteIds))];
  const due = fronts
    .map(([siteId, front]) => ({ siteId, entries: dueOf(front) }))
    .filter(({ entries }) => entries.length > 0);
  if (due.length === 0) return [];
  return release(
    db,
    due.map(({ siteId }) => siteId),
    due.flatMap(({ entries }) => entries),
  );
}
