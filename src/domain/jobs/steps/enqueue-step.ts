/** Moves a job to another step. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { NEW_STEP } from './step-row.js';

/** Moves a job to another step. The caller's transaction has locked the job's row. */
export async function enqueueStep(
  trx: Knex.Transaction,
  jobId: string,
  step: 'apply-all' | 'finish',
): Promise<OutboxEntry> {
  const [row] = await trx('job')
    .where({ id: jobId })
    .update({
      step,
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.fn.now(),
      updated_at: trx.fn.now(),
      ...NEW_STEP,
    })
    .returning('dispatch');
  return { queue: step, payload: { jobId, dispatch: row.dispatch } };
}
