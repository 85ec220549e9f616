/** Notes how endpoints have been doing. An endpoint that is well is never written. */
import type { Db } from '../../../../db/connection.js';
import type { DeliveryPolicy } from './delivery-policy.js';
import { type AttemptSeen, afterAttempt, HEALTHY, type Health, hasFailedForLong } from './endpoint-breaker.js';
import { HEALTH_JSON, PROBE_LOST } from './health-sql.js';

export interface EndpointAttempt extends AttemptSeen {
  readonly definitionId: string;
}

/** In a transaction of its caller: rows are locked in the order of their ids. @returns definitions that have failed for too long */
export async function recordHealth(
  trx: Db,
  attempts: readonly EndpointAttempt[],
  now: number,
  policy: DeliveryPolicy,
): Promise<string[]> {
  const ids = [...new Set(attempts.map(({ definitionId }) => definitionId))];
  const { rows } = await trx.raw<{ rows: { id: string; health: Health }[] }>(
    `SELECT definition_id AS id, ${HEALTH_JSON} AS health FROM endpoint_health AS health
     WHERE definition_id = ANY(?::text[]) ORDER BY definition_id FOR NO KEY UPDATE`,
    [ids],
  );
  const health = new Map(rows.map((row) => [row.id, row.health]));
  for (const { definitionId, ...seen } of attempts) {
    health.set(definitionId, afterAttempt(health.get(definitionId) ?? HEALTHY, seen, now, policy));
  }
  await trx.raw(SAVE, [JSON.stringify([...health].map(([id, one]) => ({ id, ...one })))]);
  return ids.filter((id) => hasFailedForLong(health.get(id) ?? HEALTHY, now));
}

/** Takes the one probe that an open breaker lets pass. @returns whether nobody else has it */
export async function claimProbe(db: Db, definitionId: string): Promise<boolean> {
  const claimed = await db('endpoint_health')
    .where({ definition_id: definitionId })
    .whereRaw(`(probing_since IS NULL OR probing_since < now() - ${PROBE_LOST})`)
    .update({ probing_since: db.fn.now(), updated_at: db.fn.now() });
  return claimed === 1;
}

/** Gives back a probe that came to nothing, through no fault of the endpoint. */
export async function returnProbe(db: Db, definitionId: string): Promise<void> {
  await db('endpoint_health').where({ definition_id: definitionId }).update({ probing_since: null });
}

/** A definition that was deleted meanwhile has no health any more. */
const SAVE = `
  INSERT INTO endpoint_health (definition_id, failure_streak, failed_deliveries, failing_since, window_began_at,
    window_attempts, window_failures, open_until, openings, paused_until, probing_since, updated_at)
  SELECT given.id, "failureStreak", "failedDeliveries", to_timestamp("failingSince" / 1000.0),
         to_timestamp("windowBeganAt" / 1000.0), "windowAttempts", "windowFailures",
         to_timestamp("openUntil" / 1000.0), openings, to_timestamp("pausedUntil" / 1000.0),
         to_timestamp("probingSince" / 1000.0), now()
  FROM jsonb_to_recordset(?::jsonb) AS given (id text, "failureStreak" integer, "failedDeliveries" integer,
    "failingSince" double precision, "windowBeganAt" double precision, "windowAttempts" integer,
    "windowFailures" integer, "openUntil" double precision, openings integer, "pausedUntil" double precision,
    "probingSince" double precision)
  CROSS JOIN LATERAL (SELECT FROM webhook_definition WHERE id = given.id COLLATE "C" LIMIT 1) AS definition
  ORDER BY given.id COLLATE "C"
  ON CONFLICT (definition_id) DO UPDATE SET
    failure_streak = excluded.failure_streak, failed_deliveries = excluded.failed_deliveries,
    failing_since = excluded.failing_since, window_began_at = excluded.window_began_at,
    window_attempts = excluded.window_attempts, window_failures = excluded.window_failures,
    open_until = excluded.open_until, openings = excluded.openings, paused_until = excluded.paused_until,
    probing_since = excluded.probing_since, updated_at = excluded.updated_at`;
