/** Deliveries that are no longer wanted: the definition is gone or disabled. */
import type { Db } from '../../../../db/connection.js';

/** Cancels what has not been delivered to a definition; what its callback is told is still told. An attempt under way is not recorded any more. */
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
