/** Lets the next delivery to an endpoint pass, whatever its health says, unless its definition is disabled. */
import type { Knex } from 'knex';
import { DomainError } from '../../kernel/errors.js';

/** Ends a pause of an endpoint, and lets an open circuit breaker admit a probe now. */
export async function admitNext(trx: Knex.Transaction, definitionId: string): Promise<void> {
  await trx.raw(
    `UPDATE endpoint_health SET paused_until = NULL, probing_since = NULL, updated_at = now(),
       open_until = CASE WHEN open_until IS NOT NULL THEN now() END
     WHERE definition_id = ? AND (paused_until IS NOT NULL OR open_until IS NOT NULL)`,
    [definitionId],
  );
}

export function disabled(): DomainError {
  return new DomainError('conflict', 'WEBHOOK_DISABLED', 'the webhook definition is disabled; enable it first');
}
