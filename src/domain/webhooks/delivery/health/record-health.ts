/** Records the health of endpoints. An endpoint that stays healthy is never written. */
import type { Knex } from 'knex';
import type { DeliveryPolicy } from '../delivery-policy.js';
import { type AttemptSeen, afterAttempt, HEALTHY, type Health, hasFailedForLong } from './endpoint-health.js';
import { HEALTH_JSON } from './health-json.js';

interface EndpointAttempt extends AttemptSeen {
  readonly definitionId: string;
  /** The message of a failure. */
  readonly error: string | null;
}

/** An endpoint whose owner is due a notice. */
export interface FailingEndpoint {
  readonly definitionId: string;
  readonly failingSince: number;
  readonly failedDeliveries: number;
  readonly error: string | null;
}

interface Failing {
  /** Definitions that have failed for too long. */
  readonly tooLong: readonly string[];
  /** Others that have failed for so long that their owners are due a notice. */
  readonly noticed: readonly FailingEndpoint[];
}

/** Locks rows in the order of their ids, in the transaction of its caller. */
export async function recordHealth(
  trx: Knex.Transaction,
  attempts: readonly EndpointAttempt[],
  now: number,
  policy: DeliveryPolicy,
): Promise<Failing> {
  const ids = [...new Set(attempts.map(({ definitionId }) => definitionId))];
  const { rows } = await trx.raw<{ rows: { id: string; health: Health }[] }>(
    `SELECT definition_id AS id, ${HEALTH_JSON} AS health FROM endpoint_health AS health
     WHERE definition_id = ANY(?::text[]) ORDER BY definition_id FOR NO KEY UPDATE`,
    [ids],
  );
  const health = new Map(rows.map((row) => [row.id, row.health]));
  const noticesBefore = new Map(rows.map((row) => [row.id, row.health.notices]));
  for (const { definitionId, ...seen } of attempts) {
    health.set(definitionId, afterAttempt(health.get(definitionId) ?? HEALTHY, seen, now, policy));
  }
  const lastErrors = new Map(attempts.flatMap((one) => (one.error === null ? [] : [[one.definitionId, one.error]])));
  const given = [...health].map(([id, one]) => {
    const lastError = lastErrors.get(id) ?? null;
    return { id, ...one, lastError, lastErrorAt: lastError === null ? null : now };
  });
  await trx.raw(SAVE, [JSON.stringify(given)]);
  const tooLong = ids.filter((id) => hasFailedForLong(health.get(id) ?? HEALTHY, now));
  const noticed = given.flatMap(({ id, failingSince, failedDeliveries, notices, lastError }) =>
    failingSince !== null && notices > (noticesBefore.get(id) ?? 0) && !tooLong.includes(id)
      ? [{ definitionId: id, failingSince, failedDeliveries, error: lastError }]
      : [],
  );
  return { tooLong, noticed };
}

/** Skips definitions that were deleted in the meantime. */
const SAVE = `
  INSERT INTO endpoint_health (definition_id, failure_streak, failed_deliveries, failing_since, notices, window_began_at,
    window_attempts, window_failures, open_until, openings, paused_until, probing_since, last_error,
    last_error_at, updated_at)
  SELECT given.id, "failureStreak", "failedDeliveries", to_timestamp("failingSince" / 1000.0), notices,
         to_timestamp("windowBeganAt" / 1000.0), "windowAttempts", "windowFailures",
         to_timestamp("openUntil" / 1000.0), openings, to_timestamp("pausedUntil" / 1000.0),
         to_timestamp("probingSince" / 1000.0), "lastError", to_timestamp("lastErrorAt" / 1000.0), now()
  FROM jsonb_to_recordset(?::jsonb) AS given (id text, "failureStreak" integer, "failedDeliveries" integer,
    "failingSince" double precision, notices integer, "windowBeganAt" double precision, "windowAttempts" integer,
    "windowFailures" integer, "openUntil" double precision, openings integer, "pausedUntil" double precision,
    "probingSince" double precision, "lastError" text,
    "lastErrorAt" double precision)
  CROSS JOIN LATERAL (SELECT FROM webhook_definition WHERE id = given.id COLLATE "C" LIMIT 1) AS definition
  ORDER BY given.id COLLATE "C"
  ON CONFLICT (definition_id) DO UPDATE SET
    failure_streak = excluded.failure_streak, failed_deliveries = excluded.failed_deliveries,
    failing_since = excluded.failing_since, notices = excluded.notices, window_began_at = excluded.window_began_at,
    window_attempts = excluded.window_attempts, window_failures = excluded.window_failures,
    open_until = excluded.open_until, openings = excluded.openings, paused_until = excluded.paused_until,
    probing_since = excluded.probing_since,
    last_error = coalesce(excluded.last_error, endpoint_health.last_error),
    last_error_at = coalesce(excluded.last_error_at, endpoint_health.last_error_at), updated_at = excluded.updated_at`;
