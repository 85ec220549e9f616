/** Records what became of deliveries, many in one statement. Recording the same twice changes nothing. */
import { arrayText } from '../../../../db/array-text.js';
import type { Db } from '../../../../db/connection.js';
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import { IS_PENDING } from './delivery-sql.js';
import type { AttemptOutcome } from './judge-attempt.js';

export interface AttemptRecord {
  readonly id: string;
  /** The dispatch under which it was made: what was dispatched anew meanwhile is not changed, unless it was delivered. */
  readonly dispatch: number;
  readonly status: DeliveryStatus;
  /** Until the next attempt; null: there is none. */
  readonly delayMs: number | null;
  /** null: none was made, the delivery was cancelled or put back. */
  readonly made: {
    readonly attempt: number;
    readonly outcome: AttemptOutcome;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly durationMs: number;
    readonly response: string | null;
    readonly triggeredAt: Date;
  } | null;
}

/** The deliveries that were changed and not delivered, with the dispatch under which the next attempt is to be enqueued. */
export type Recorded = ReadonlyMap<string, { readonly status: DeliveryStatus; readonly dispatch: number }>;

const MAX_TEXT_CHARACTERS = 1_000;

export async function recordAttempts(db: Db, records: readonly AttemptRecord[]): Promise<Recorded> {
  const ids = arrayText(records.map(({ id }) => id));
  // Columns, for unnest: Postgres reads them several times faster than JSON.
  const columns = [
    ids,
    arrayText(records.map(({ dispatch }) => dispatch)),
    arrayText(records.map(({ status }) => status)),
    arrayText(records.map(({ delayMs }) => delayMs)),
    arrayText(records.map(({ made }) => made?.attempt ?? null)),
    arrayText(records.map(({ made }) => made?.outcome ?? null)),
    arrayText(records.map(({ made }) => made?.statusCode ?? null)),
    arrayText(records.map(({ made }) => storable(made?.error ?? null))),
    arrayText(records.map(({ made }) => made?.durationMs ?? null)),
    arrayText(records.map(({ made }) => storable(made?.response ?? null))),
    arrayText(records.map(({ made }) => made?.triggeredAt.toISOString() ?? null)),
  ];
  const { rows } = await db.raw<{ rows: { id: string; status: DeliveryStatus; dispatch: number }[] }>(RECORD, [
    ...columns,
    ids,
  ]);
  return new Map(rows.map(({ id, ...changed }) => [id, changed]));
}

/** Others' words: Postgres keeps no NUL and no half of a surrogate pair, and one of them would keep all from being recorded. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\u0000', '').slice(0, MAX_TEXT_CHARACTERS);
}

/** Who has seen a 2xx says so whatever the dispatch: nobody is to send it again. */
const RECORD = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(?::text[], ?::integer[], ?::text[], ?::double precision[], ?::integer[], ?::text[],
      ?::integer[], ?::text[], ?::integer[], ?::text[], ?::timestamptz[])
      AS given (id, dispatch, status, delay_ms, attempt, outcome, status_code, error, duration_ms, response, triggered_at)
  ), logged AS (
    INSERT INTO delivery_attempt (delivery_id, attempt, outcome, status_code, error, duration_ms, response, triggered_at)
    SELECT id, attempt, outcome, status_code, error, duration_ms, response, triggered_at
    FROM given WHERE attempt IS NOT NULL
    ON CONFLICT DO NOTHING
  ), changed AS (
  UPDATE delivery SET
    status = given.status,
    lane = CASE WHEN given.attempt IS NULL THEN delivery.lane ELSE 'again' END,
    attempts = greatest(delivery.attempts, given.attempt),
    status_code = CASE WHEN given.attempt IS NULL THEN delivery.status_code ELSE given.status_code END,
    next_attempt_at = now() + given.delay_ms * interval '1 millisecond',
    dispatched_at = coalesce(now() + given.delay_ms * interval '1 millisecond', delivery.dispatched_at),
    dispatch = delivery.dispatch + (given.status = 'PENDING')::integer,
    completed_at = CASE WHEN given.status <> 'PENDING' THEN now() END
  FROM given
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING}
    AND (delivery.dispatch = given.dispatch OR given.status = 'DELIVERED')
  RETURNING delivery.id, delivery.status, delivery.dispatch)
  SELECT * FROM changed WHERE status <> 'DELIVERED'`;
