/** What becomes of small jobs that could not be executed together. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { FoundBatch } from './find-batches.js';
import type { StepPayload } from './model/step-payload.js';
import { planStep } from './order/positions.js';
import { holdWaiting } from './order/site-order.js';
import { suspicionOf } from './steps/suspicion.js';

/**
 * Takes a job out of its batch, within the batch's transaction: it is executed by itself, by another queue job.
 * @returns what to enqueue once the transaction has committed
 */
export async function leaveBatch(trx: Knex.Transaction, siteId: number, position: number): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `UPDATE job_order SET batchable = false, state = 'q', dispatch = dispatch + 1, dispatched_at = now()
     WHERE site_id = :siteId AND position = :position
     RETURNING job_id AS "jobId", dispatch`,
    { siteId, position },
  );
  return result.rows.map((payload: StepPayload) => ({ queue: 'plan', payload }));
}

/**
 * Holds the jobs whose step was due but which the batch had no time for: their queue jobs end with it. followEnds
 * releases them under new tokens.
 * @param executed the ids of the jobs that have ended or have left the batch
 */
export async function holdUnfinished(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  executed: ReadonlySet<string>,
): Promise<void> {
  for (const { siteId, own } of batches) if (!executed.has(own.jobId)) await holdWaiting(trx, siteId, own);
}

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
