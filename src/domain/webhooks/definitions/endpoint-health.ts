/** What is remembered of an endpoint, forgotten: it begins anew. */
import type { Db } from '../../../../db/connection.js';

/** As of a definition just made. @param probeFirst one delivery tries it out before the others follow */
export async function forgetHealth(trx: Db, definitionId: string, { probeFirst = false } = {}): Promise<void> {
  await trx('endpoint_health')
    .insert({ definition_id: definitionId })
    .onConflict('definition_id')
    .merge({
      failure_streak: 0,
      failed_deliveries: 0,
      failing_since: null,
      window_began_at: null,
      window_attempts: 0,
      window_failures: 0,
      open_until: probeFirst ? trx.fn.now() : null,
      openings: probeFirst ? 1 : 0,
      paused_until: null,
      probing_since: null,
      updated_at: trx.fn.now(),
    });
}
