/** Has small jobs executed one by one that failed together. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { FoundBatch } from './model/found-batch.js';
import { planStep } from './order/positions.js';
import { suspicionOf } from './steps/suspicion.js';

/**
 * Has the jobs that wait at the front of a site executed one by one.
 * @param suspect a process has ended while it executed them together, and any of them may be the reason: each of them is
 *   executed in a process of its own
 * @returns what to enqueue of the job whose step was due
 */
export async function splitBatch(
  db: Db,
  { siteId, entries, own }: Pick<FoundBatch, 'siteId' | 'entries' | 'own'>,
  suspect: boolean,
): Promise<OutboxEntry> {
  await db.raw(
    `UPDATE job_order SET batchable = false, suspect = suspect OR :suspect
     WHERE site_id = :siteId AND position = ANY (:positions::bigint[])`,
    {
      siteId,
      suspect,
      positions: entries.map(({ position }) => position),
    },
  );
  return planStep({ ...own, ...suspicionOf(suspect) }, false);
}
