/**
 * Decides whether a delivery may be sent now, from its row and the health of its endpoint. Waiting costs no attempt.
 */

import type { Db } from '../../../../db/connection.js';
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import type { DefinitionStatus } from '../../../../db/models/webhook-definition.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';
import { isCurrentToken } from '../../kernel/invariant.js';
import type { AttemptSeen, DeliveryPolicy, Health } from './judge-attempt.js';
import { afterAttempt, HEALTHY, hasFailedForLong } from './judge-attempt.js';

/** COLLECTING: it is disabled, and collects events. */
export type DefinitionState = DefinitionStatus | 'COLLECTING';

export interface Applicant {
  readonly status: DeliveryStatus;
  /** The fencing token of the row. */
  readonly dispatch: number;
  /** The fencing token of the queue job. */
  readonly asked: number;
  /** The state of the definition; null: it was deleted. A callback does not need it. */
  readonly definition: DefinitionState | null | 'not-needed';
  readonly health: Health;
}

export type Admission =
  | { readonly kind: 'send' }
  /** The circuit breaker admits one delivery: the first that claims the probe. */
  | { readonly kind: 'probe' }
  /** `isProbed`: only until the probe of another delivery ends. */
  | { readonly kind: 'snooze'; readonly untilMs: number; readonly isProbed: boolean }
  /** The definition was disabled, and collects what it misses. */
  | { readonly kind: 'collect' }
  /** The definition was disabled or deleted. */
  | { readonly kind: 'cancel' }
  /** The row is no longer PENDING, or has another fencing token. */
  | { readonly kind: 'stale' };

/** Longer than any attempt takes: the worker of an older probe has died. */
const PROBE_LOST_MS = 60_000;
/** How long a delivery waits for the probe of another one. */
export const PROBE_PAUSE_MS = 1_000;

export function admitDelivery({ status, dispatch, asked, definition, health }: Applicant, now: number): Admission {
  if (status !== 'PENDING' || !isCurrentToken('a delivery', asked, dispatch)) return { kind: 'stale' };
  if (definition === 'not-needed') return { kind: 'send' };
  if (definition === 'COLLECTING') return { kind: 'collect' };
  if (definition !== 'ACTIVE') return { kind: 'cancel' };
  const { openUntil, pausedUntil, probingSince } = health;
  const closedUntil = Math.max(openUntil ?? 0, pausedUntil ?? 0);
  if (closedUntil > now) return { kind: 'snooze', untilMs: closedUntil, isProbed: false };
  if (openUntil === null) return { kind: 'send' };
  const probing = probingSince !== null && now - probingSince < PROBE_LOST_MS;
  return probing ? { kind: 'snooze', untilMs: now + PROBE_PAUSE_MS, isProbed: true } : { kind: 'probe' };
}

// The health of endpoints. An endpoint that stays healthy is never written.

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
  trx: Db,
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

/** SQL for a Health, whose times are milliseconds since 1970. The alias of the table must be `health`. */
export const HEALTH_JSON = `json_build_object(
  'failureStreak', health.failure_streak, 'failedDeliveries', health.failed_deliveries,
  'failingSince', floor(extract(epoch FROM health.failing_since) * 1000), 'notices', health.notices,
  'windowBeganAt', floor(extract(epoch FROM health.window_began_at) * 1000),
  'windowAttempts', health.window_attempts, 'windowFailures', health.window_failures,
  'openUntil', floor(extract(epoch FROM health.open_until) * 1000), 'openings', health.openings,
  'pausedUntil', floor(extract(epoch FROM health.paused_until) * 1000),
  'probingSince', floor(extract(epoch FROM health.probing_since) * 1000))`;
