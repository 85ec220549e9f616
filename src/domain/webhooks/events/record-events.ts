/** Records events with their deliveries. Those with very many subscribers are fanned out by queue jobs. */
import type { Knex } from 'knex';
import { prepared } from '../../../../db/prepared.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { newId } from '../../kernel/identifier.js';
import { BATCH_CHARACTERS, BATCH_DELIVERIES, batchedId } from '../delivery-rows/delivery-batch.js';
import { dueOf, FIRST_DISPATCH, orderOf, passes } from '../delivery-rows/delivery-sql.js';
import { canonicalEventName, subscribableNames } from './event-aliases.js';
import type { EventRecord } from './new-event.js';
import { SUBSCRIBES } from './subscribes.js';

/** The site and account of events. */
export interface EventOrigin {
  readonly siteId: number;
  readonly accountId: string;
  /** The W3C trace context of the request or job that they come from. Absent: it has none. */
  readonly traceparent?: string | null | undefined;
}

export interface Emitted {
  /** The eventRequestId of each event, in order. */
  readonly eventIds: readonly string[];
  /**
   * The number of active subscriptions. Deliveries of an event with more than FEW_SUBSCRIBERS are created later, and
   * only then are the filters of its subscribers evaluated.
   */
  readonly deliveries: number;
  /** What to enqueue once `trx` has committed. */
  readonly outboxEntries: OutboxEntry[];
}

/**
 * The transaction that emits an event creates so many deliveries. A queue job fans out events with more subscribers, for
 * which accounts take turns: an account with many definitions would occupy the database by its requests.
 */
const FEW_SUBSCRIBERS = BATCH_DELIVERIES;
/** The maximum number of events in one statement, which contains all their payloads. */
const EVENTS_AT_ONCE = 20;

/** Records events, and all deliveries of those with at most FEW_SUBSCRIBERS. */
export async function recordEvents(
  trx: Knex.Transaction,
  { siteId, accountId, traceparent = null }: EventOrigin,
  events: readonly EventRecord[],
): Promise<Emitted> {
  const eventIds = events.map(newId);
  const outboxEntries: OutboxEntry[] = [];
  let deliveries = 0;
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    const part = events
      .slice(from, from + EVENTS_AT_ONCE)
      .map((event, index) => row(event, eventIds[from + index], index));
    const bindings = { siteId, accountId, traceparent, events: JSON.stringify(part) };
    const result = await prepared<{ rows: EmittedRow[] }>(trx, EMIT, bindings);
    for (const { kind, id, count } of result.rows) {
      if (kind === 'fan-out')
        outboxEntries.push({ queue: 'fan-out', payload: { eventId: id, dispatch: 1, account: accountId } });
      else outboxEntries.push({ queue: 'batch', payload: { batch: id, account: accountId } });
      deliveries += count;
    }
  }
  return { eventIds, deliveries, outboxEntries };
}

interface EmittedRow {
  readonly kind: 'batch' | 'callback' | 'fan-out';
  /** The id of the batch, or of the event. */
  readonly id: string;
  /** The number of definitions that the row stands for. */
  readonly count: number;
}

function row(
  { source, event, payload, channel, orderNumber, document, callbackUrl }: EventRecord,
  id: string | undefined,
  nth: number,
): object {
  return {
    id,
    nth,
    source,
    event: canonicalEventName(event),
    names: subscribableNames(event),
    channel: channel ?? null,
    order_number: orderNumber ?? null,
    document: document ?? null,
    payload,
    callback_url: callbackUrl ?? null,
  };
}

/** The order of the statements that emit, and of the events of a statement, is that of their deliveries. */
const EMIT = `
  WITH given AS MATERIALIZED (
    SELECT id, source, event, ARRAY(SELECT jsonb_array_elements_text(names)) AS names, channel, order_number, document,
           (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint) * ${EVENTS_AT_ONCE} + nth AS order_no,
           payload, callback_url
    FROM jsonb_to_recordset(:events::jsonb) AS given (id text, nth integer, source text, event text, names jsonb,
      channel integer, order_number text, document text, payload text, callback_url text)
  ), candidate AS MATERIALIZED (
    SELECT given.id AS event_id, subscriber.id AS definition_id, subscriber.ordering, subscriber.filter, subscriber.status
    FROM given CROSS JOIN LATERAL (
      SELECT definition.id, definition.ordering, definition.filter, definition.status
      FROM webhook_definition AS definition
      WHERE ${SUBSCRIBES}
      ORDER BY definition.id LIMIT ${FEW_SUBSCRIBERS} + 1) AS subscriber
  ), parsed AS MATERIALIZED (
    SELECT id, webhook_payload(payload) AS payload FROM given
    WHERE id IN (SELECT event_id FROM candidate WHERE filter IS NOT NULL)
  ), subscription AS MATERIALIZED (
    SELECT candidate.*, row_number() OVER (PARTITION BY event_id ORDER BY definition_id) - 1 AS nth
    FROM candidate LEFT JOIN parsed ON parsed.id = candidate.event_id
    WHERE ${passes('candidate.filter', 'parsed.payload')}
  ), counted AS MATERIALIZED (
    SELECT given.*, (SELECT count(*) FROM candidate WHERE candidate.event_id = given.id) > ${FEW_SUBSCRIBERS} AS is_large,
           (SELECT count(*)::integer FROM subscription WHERE subscription.event_id = given.id) AS subscribers
    FROM given
  ), made AS (
    INSERT INTO event (id, site_id, account_id, source, event, channel, order_number, document, order_no, payload,
                       traceparent, deliveries, dispatch, dispatched_at, fanned_out_at)
    SELECT id, :siteId, :accountId, source, event, channel, order_number, document, order_no, payload, :traceparent,
           CASE WHEN is_large THEN 0 ELSE subscribers END, is_large::integer, CASE WHEN is_large THEN now() END,
           CASE WHEN is_large THEN NULL ELSE now() END
    FROM counted
  ), delivered AS (
    INSERT INTO delivery (id, event_id, definition_id, site_id, next_attempt_at, dispatched_at, dispatch, order_key,
                          order_no)
    SELECT ${batchedId('subscription.event_id', 'subscription.nth')}, subscription.event_id,
           subscription.definition_id, :siteId, ${dueOf('subscription')}, ${orderOf('subscription', 'counted')}
    FROM subscription JOIN counted ON counted.id = subscription.event_id WHERE NOT counted.is_large
    ON CONFLICT DO NOTHING RETURNING id, dispatch
  ), called_back AS (
    INSERT INTO delivery (id, event_id, callback_url, site_id)
    SELECT ${batchedId("'callback of ' || id", '0')}, id, callback_url, :siteId FROM counted WHERE callback_url IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT 'batch' AS kind, left(id, ${BATCH_CHARACTERS}) AS id, count(*)::integer AS count
  FROM delivered WHERE dispatch = ${FIRST_DISPATCH} GROUP BY 2
  UNION ALL SELECT 'callback', left(id, ${BATCH_CHARACTERS}), 0 FROM called_back
  UNION ALL SELECT 'fan-out', given.id,
    (SELECT count(*)::integer FROM webhook_definition AS definition
      WHERE ${SUBSCRIBES} AND definition.status = 'ACTIVE')
  FROM counted AS given WHERE given.is_large`;
