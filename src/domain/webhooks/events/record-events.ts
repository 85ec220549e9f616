/** Records events with the deliveries to those who are subscribed, in the caller's transaction. */
import type { Db } from '../../../../db/connection.js';
import type { Dispatch } from '../../../queues/outbox.js';
import { newId } from '../../kernel/identifier.js';
import { BATCH_CHARACTERS, batchedId } from '../delivery/delivery-batch.js';
import { SUBSCRIBES } from '../subscribers.js';
import { canonicalEventName, subscribableNames } from './event-names.js';
import type { EventRecord } from './new-event.js';

/** Whose events. */
export interface EventOrigin {
  readonly siteId: number;
  readonly accountId: string;
}

export interface Emitted {
  /** eventRequestIds, one an event, in order. */
  readonly eventIds: readonly string[];
  /** Definitions that subscribe to them. The deliveries to more than FAN_OUT_PAGE of them are still to be made. */
  readonly deliveries: number;
  /** What to enqueue once `trx` has committed. */
  readonly dispatches: Dispatch[];
}

/** Definitions whose deliveries one statement makes; an event with more subscribers is fanned out by a job. */
export const FAN_OUT_PAGE = 1_000;
/** Events of one statement: their payloads travel together. */
const EVENTS_AT_ONCE = 20;

/** Records events and, for those with at most FAN_OUT_PAGE subscribers, all deliveries. */
export async function recordEvents(
  trx: Db,
  { siteId, accountId }: EventOrigin,
  events: readonly EventRecord[],
): Promise<Emitted> {
  const eventIds = events.map(newId);
  const dispatches: Dispatch[] = [];
  let deliveries = 0;
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    const part = events.slice(from, from + EVENTS_AT_ONCE).map((event, index) => row(event, eventIds[from + index]));
    const result = await trx.raw<{ rows: EmittedRow[] }>(EMIT, { siteId, accountId, events: JSON.stringify(part) });
    for (const { kind, id, count } of result.rows) {
      if (kind === 'fan-out') dispatches.push({ queue: 'fan-out', payload: { eventId: id, dispatch: 1 } });
      else dispatches.push({ queue: 'batch', payload: { batch: id } });
      deliveries += count;
    }
  }
  return { eventIds, deliveries, dispatches };
}

interface EmittedRow {
  readonly kind: 'batch' | 'callback' | 'fan-out';
  /** Of the batch, or of the event. */
  readonly id: string;
  /** Definitions that this stands for. */
  readonly count: number;
}

function row(
  { source, event, payload, channel, orderNumber, callbackUrl }: EventRecord,
  id: string | undefined,
): object {
  return {
    id,
    source,
    event: canonicalEventName(event),
    names: subscribableNames(event),
    channel: channel ?? null,
    order_number: orderNumber ?? null,
    payload,
    callback_url: callbackUrl ?? null,
  };
}

const EMIT = `
  WITH given AS MATERIALIZED (
    SELECT id, source, event, ARRAY(SELECT jsonb_array_elements_text(names)) AS names, channel, order_number, payload,
           callback_url
    FROM jsonb_to_recordset(:events::jsonb) AS given (id text, source text, event text, names jsonb, channel integer,
      order_number text, payload text, callback_url text)
  ), heard AS MATERIALIZED (
    SELECT given.id AS event_id, listener.id AS definition_id,
           row_number() OVER (PARTITION BY given.id ORDER BY listener.id) - 1 AS nth
    FROM given CROSS JOIN LATERAL (
      SELECT definition.id FROM webhook_definition AS definition WHERE ${SUBSCRIBES}
      ORDER BY definition.id LIMIT ${FAN_OUT_PAGE} + 1) AS listener
  ), counted AS MATERIALIZED (
    SELECT given.*, (SELECT count(*)::integer FROM heard WHERE heard.event_id = given.id) AS listeners FROM given
  ), made AS (
    INSERT INTO event (id, site_id, account_id, source, event, channel, order_number, payload, deliveries, dispatch,
                       dispatched_at, fanned_out_at)
    SELECT id, :siteId, :accountId, source, event, channel, order_number, payload,
           CASE WHEN listeners > ${FAN_OUT_PAGE} THEN 0 ELSE listeners END,
           CASE WHEN listeners > ${FAN_OUT_PAGE} THEN 1 ELSE 0 END,
           CASE WHEN listeners > ${FAN_OUT_PAGE} THEN now() END,
           CASE WHEN listeners > ${FAN_OUT_PAGE} THEN NULL ELSE now() END
    FROM counted
  ), delivered AS (
    INSERT INTO delivery (id, event_id, definition_id, site_id)
    SELECT ${batchedId('heard.event_id', 'heard.nth')}, heard.event_id, heard.definition_id, :siteId
    FROM heard JOIN counted ON counted.id = heard.event_id WHERE counted.listeners <= ${FAN_OUT_PAGE}
    ON CONFLICT DO NOTHING RETURNING id
  ), called_back AS (
    INSERT INTO delivery (id, event_id, callback_url, site_id)
    SELECT ${batchedId("'callback of ' || id", '0')}, id, callback_url, :siteId FROM counted WHERE callback_url IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT 'batch' AS kind, left(id, ${BATCH_CHARACTERS}) AS id, count(*)::integer AS count FROM delivered GROUP BY 2
  UNION ALL SELECT 'callback', left(id, ${BATCH_CHARACTERS}), 0 FROM called_back
  UNION ALL SELECT 'fan-out', given.id,
    (SELECT count(*)::integer FROM webhook_definition AS definition WHERE ${SUBSCRIBES})
  FROM counted AS given WHERE given.listeners > ${FAN_OUT_PAGE}`;
