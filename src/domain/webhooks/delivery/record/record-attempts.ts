/** Records results of deliveries, many in one statement. Recording the same result twice changes nothing. */
import { arrayText } from '../../../../../db/array-text.js';
import type { Db } from '../../../../../db/connection.js';
import type { DeliveryStatus } from '../../../../../db/models/delivery.js';
import { prepared } from '../../../../../db/prepared.js';
import { IS_PENDING } from '../../delivery-rows/delivery-sql.js';
import type { AttemptOutcome } from '../judge-attempt.js';

export interface AttemptRecord {
  readonly id: string;
  /** The fencing token of the attempt. If the row has another one by now, only DELIVERED is still recorded. */
  readonly dispatch: number;
  readonly status: DeliveryStatus;
  /** The delay of the next attempt; null: there is none. */
  readonly delayMs: number | null;
  /** null: no attempt was made, because the delivery was cancelled or deferred. */
  readonly made: {
    readonly attempt: number;
    readonly outcome: AttemptOutcome;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly durationMs: number;
    readonly response: string | null;
    readonly triggeredAt: Date;
    /** The event, if its contacts may have been erased since it was loaded: its answers are not stored then. */
    readonly erasableEventId: string | null;
    /** What the target was called with; null: there is no definition. */
    readonly definitionVersion: number | null;
  } | null;
}

/** The deliveries that were changed but not delivered, with the fencing token of the next attempt. */
export type Recorded = ReadonlyMap<string, { readonly status: DeliveryStatus; readonly dispatch: number }>;

const MAX_TEXT_CHARACTERS = 1_000;

export async function recordAttempts(db: Db, records: readonly AttemptRecord[]): Promise<Recorded> {
  const ids = arrayText(records.map(({ id }) => id));
  // The columns are arrays for unnest, which Postgres reads several times faster than JSON.
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
    arrayText(records.map(({ made }) => made?.triggeredAt.getTime() ?? null)),
    arrayText(records.map(({ made }) => (made?.response == null ? null : made.erasableEventId))),
    arrayText(records.map(({ made }) => made?.definitionVersion ?? null)),
  ];
  const { rows } = await prepared<{ rows: { id: string; status: DeliveryStatus; dispatch: number }[] }>(db, RECORD, [
    ...columns,
    ids,
  ]);
  return new Map(rows.map(({ id, ...changed }) => [id, changed]));
}

/**
 * Cleans texts of others: Postgres rejects NUL and halves of surrogate pairs, and one such text would block the batch.
 */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\u0000', '').slice(0, MAX_TEXT_CHARACTERS);
}

/**
 * DELIVERED is recorded whatever the fencing token of the row is, so that no worker sends the event again. Events whose
 * contacts may be erased are locked: an erasure either has committed before and is seen here, or waits and then removes
 * the answers that are stored here.
 */
const RECORD = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(?::text[], ?::integer[], ?::text[], ?::double precision[], ?::integer[], ?::text[],
      ?::integer[], ?::text[], ?::integer[], ?::text[], ?::double precision[], ?::text[], ?::integer[])
      AS given (id, dispatch, status, delay_ms, attempt, outcome, status_code, error, duration_ms, response,
        triggered_ms, erasable_event_id, definition_version)
  ), erasable AS MATERIALIZED (
    SELECT locked.id, locked.contacts_erased_at
    FROM (SELECT DISTINCT erasable_event_id AS id FROM given WHERE erasable_event_id IS NOT NULL ORDER BY id) AS named
    CROSS JOIN LATERAL (
      SELECT id, contacts_erased_at FROM event WHERE id = named.id COLLATE "C" LIMIT 1 FOR SHARE) AS locked
  ), logged AS (
    INSERT INTO delivery_attempt (delivery_id, attempt, outcome, status_code, error, duration_ms, response, triggered_at,
      definition_version)
    SELECT id, attempt, outcome, status_code, error, duration_ms,
      CASE WHEN erasable_event_id IS NULL
        OR erasable_event_id IN (SELECT id FROM erasable WHERE contacts_erased_at IS NULL) THEN response END,
      to_timestamp(triggered_ms / 1000), definition_version
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
    completed_at = CASE WHEN given.status <> 'PENDING' THEN now() END,
    waits_behind = NULL
  FROM given
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING}
    AND (delivery.dispatch = given.dispatch OR given.status = 'DELIVERED')
  RETURNING delivery.id, delivery.status, delivery.dispatch)
  SELECT * FROM changed WHERE status <> 'DELIVERED'`;
