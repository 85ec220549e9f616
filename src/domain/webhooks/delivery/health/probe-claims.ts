/** Claims the probe that an open circuit breaker admits: of all processes, one gets it. */
import type { Db } from '../../../../../db/connection.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import { PROBE_LOST_MS } from '../admit-delivery.js';

/** Probes that are claimed by one statement. */
const MAX_CLAIMED = 500;

/** `taken`: another delivery has the probe, or the breaker has opened again. `closed`: the endpoint needs none any more. */
export type ProbeClaim = 'claimed' | 'closed' | 'taken';

/** @returns a function that claims the one probe that an open circuit breaker admits */
export function createProbeClaims(db: Db): (definitionId: string) => Promise<ProbeClaim> {
  return createBatcher({
    lingerMs: 0,
    maxItems: MAX_CLAIMED,
    run: async (ids: readonly string[]) => {
      const { rows } = await db.raw<{ rows: { id: string; claim: ProbeClaim }[] }>(CLAIM, [[...new Set(ids)].sort()]);
      const claims = new Map(rows.map(({ id, claim }) => [id, claim]));
      return ids.map((id): ProbeClaim => {
        const claim = claims.get(id) ?? 'taken';
        // If it is asked for twice, the first one has it.
        if (claim === 'claimed') claims.delete(id);
        return claim;
      });
    },
  });
}

/** Locks rows in the order of their ids. */
const CLAIM = `
  WITH free AS MATERIALIZED (
    SELECT definition_id AS id, open_until FROM endpoint_health
    WHERE definition_id = ANY(?::text[]) AND (open_until IS NULL OR (open_until <= now()
      AND (probing_since IS NULL OR probing_since < now() - interval '${PROBE_LOST_MS} milliseconds')))
    ORDER BY definition_id FOR NO KEY UPDATE
  ), claimed AS (
    UPDATE endpoint_health SET probing_since = now(), updated_at = now() FROM free
    WHERE endpoint_health.definition_id = free.id AND free.open_until IS NOT NULL)
  SELECT id, CASE WHEN open_until IS NULL THEN 'closed' ELSE 'claimed' END AS claim FROM free`;

/** Gives back a probe for which no attempt was made, so that another delivery can claim it. */
export async function returnProbe(db: Db, definitionId: string): Promise<void> {
  await db('endpoint_health').where({ definition_id: definitionId }).update({ probing_since: null });
}
