/** What becomes of small jobs that their batch could not execute. */
import type { Knex } from 'knex';
import type { StepPayload } from '../../../queues/define-queue.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import type { FoundBatch } from '../model/found-batch.js';
import { holdWaiting } from '../order/site-order.js';

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
