/** Resets the health of an endpoint. */
import type { Knex } from 'knex';

/**
 * Resets the health to that of a new definition.
 * @param probeFirst one delivery probes the endpoint before the others follow
 */
export async function resetHealth(
  trx: Knex.Transaction,
  definitionId: string,
  { probeFirst = false } = {},
): Promise<void> {
  await trx('endpoint_health')
    .insert({ definition_id: definitionId })
    .onConflict('definition_id')
    .merge({
      failure_streak: 0,
      failed_deliveries: 0,
      failing_since: null,
      notices: 0,
      window_began_at: null,
      window_attempts: 0,
      window_failures: 0,
      open_until: probeFirst ? trx.fn.now() : null,
      openings: probeFirst ? 1 : 0,
      paused_until: null,
      probing_since: null,
      ...(probeFirst ? {} : { last_error: null, last_error_at: null }),
      updated_at: trx.fn.now(),
    });
}
