/** The states of endpoints, which owners read beside the log. */
import type { Db } from '../../../db/connection.js';
import { isCollected } from './delivery-rows/delivery-sql.js';

/** How an endpoint is doing. */
export interface EndpointState {
  /**
   * CLOSED: deliveries are sent. OPEN: the breaker keeps them back. HALF_OPEN: the next one is a probe. PAUSED: the
   * endpoint asked us to wait.
   */
  readonly breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN' | 'PAUSED';
  /** When the next delivery may be attempted; null: none is waiting. */
  readonly nextAttemptAt: Date | null;
  /** The failed share of the attempts in the breaker's window, 0 to 1; null: no attempt failed in it. */
  readonly failureRate: number | null;
  /** Failed attempts in a row. */
  readonly failuresInARow: number;
  readonly failingSince: Date | null;
  /** How many deliveries are waiting, collected ones included, counted up to a limit. */
  readonly backlog: number;
  /** Whether more are waiting than were counted. */
  readonly backlogIsLowerBound: boolean;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
}

/** The maximum number of deliveries that are counted for all endpoints together, and at least for each of them. */
const MAX_COUNTED = 100_000;
const MIN_COUNTED = 1_000;

interface StateRow extends Omit<EndpointState, 'backlogIsLowerBound'> {
  readonly id: string;
}

/** Returns the states of endpoints, by the ids of their definitions. */
export async function endpointStates(db: Db, definitionIds: readonly string[]): Promise<Map<string, EndpointState>> {
  const most = Math.max(MIN_COUNTED, Math.floor(MAX_COUNTED / Math.max(1, definitionIds.length)));
  const { rows } = await db.raw<{ rows: StateRow[] }>(STATES, { ids: [...definitionIds], most });
  return new Map(
    rows.map(({ id, backlog, ...state }) => [
      id,
      { ...state, backlog: Math.min(backlog, most), backlogIsLowerBound: backlog > most },
    ]),
  );
}

/** The length of the window is that of the circuit breaker, see delivery/health/endpoint-health.ts. */
const STATES = `
  SELECT asked.id,
    CASE WHEN health.paused_until > now() THEN 'PAUSED' WHEN health.open_until > now() THEN 'OPEN'
         WHEN health.open_until IS NOT NULL THEN 'HALF_OPEN' ELSE 'CLOSED' END AS breaker,
    greatest(first.next_attempt_at, CASE WHEN first.next_attempt_at IS NOT NULL THEN health.open_until END,
             CASE WHEN first.next_attempt_at IS NOT NULL THEN health.paused_until END) AS "nextAttemptAt",
    CASE WHEN health.window_failures > 0 AND health.window_began_at > now() - interval '5 minutes'
         THEN health.window_failures::double precision / health.window_attempts END AS "failureRate",
    coalesce(health.failure_streak, 0) AS "failuresInARow", health.failing_since AS "failingSince",
    waiting.backlog, health.last_error AS "lastError", health.last_error_at AS "lastErrorAt"
  FROM unnest(:ids::text[]) AS asked (id)
  LEFT JOIN endpoint_health AS health ON health.definition_id = asked.id COLLATE "C"
  LEFT JOIN LATERAL (
    SELECT next_attempt_at FROM delivery
    WHERE definition_id = asked.id COLLATE "C" AND status = 'PENDING' AND callback_url IS NULL
    ORDER BY definition_id, next_attempt_at, id LIMIT 1) AS first ON NOT ${isCollected('first')}
  CROSS JOIN LATERAL (
    SELECT count(*)::integer AS backlog FROM (
      SELECT FROM delivery WHERE definition_id = asked.id COLLATE "C" AND status = 'PENDING' AND callback_url IS NULL
      LIMIT :most + 1) AS counted) AS waiting`;
