/** Cancels the deliveries of a definition that was deleted or disabled. */
import type { Db } from '../../../../db/connection.js';

/**
 * Cancels the pending deliveries to the target of a definition; those to its callback URL are still made. An
 * attempt that is in flight no longer changes its delivery.
 */
export async function cancelPending(trx: Db, definitionId: string): Promise<void> {
  await trx('delivery')
    .where({ definition_id: definitionId, status: 'PENDING' })
    .whereNull('callback_url')
    .update({
      status: 'CANCELLED',
      next_attempt_at: null,
      completed_at: trx.fn.now(),
      dispatch: trx.raw('dispatch + 1'),
    });
}
