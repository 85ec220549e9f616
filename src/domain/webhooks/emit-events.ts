/**
 * Emits events in the caller's transaction, so that what happened and its deliveries are committed together. Where very
 * many definitions subscribe, a job makes the deliveries afterwards, page by page.
 */
import type { Db } from '../../../db/connection.js';
import { Event } from '../../../db/models/event.js';
import { withRetries } from '../../../db/with-retries.js';
import { backoffMs, STEP_BACKOFF } from '../../platform/backoff.js';
import type { Dispatch } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { batchDispatches, batchedId } from './delivery/delivery-batch.js';
import { ANY_DESTINATION, IS_PENDING } from './delivery/delivery-sql.js';
import { NAMED_BY_SENDER } from './event-types/notification-event.js';
import type { EventNameOf, PayloadOf } from './event-types.js';
import { subscribableNames } from './events/event-names.js';
import { type EventDetails, makeEvent, type NewEvent } from './events/new-event.js';
import { type Emitted, type EventOrigin, FAN_OUT_PAGE, recordEvents } from './events/record-events.js';
import { SUBSCRIBES } from './subscribers.js';

export type { NewEvent };

/** Of an event, in UTF-8. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/**
 * Records events with their deliveries.
 * @param events of the catalog from the query that asked whether anybody subscribes, others from newEvent
 */
export function emitEvents(trx: Db, origin: EventOrigin, events: readonly NewEvent[]): Promise<Emitted> {
  return recordEvents(
    trx,
    origin,
    events.map(({ record }) => record),
  );
}

/** Of documents: recorded whether or not a definition subscribes to them. */
type DocumentEventName = Exclude<EventNameOf<'OMS'>, typeof NAMED_BY_SENDER>;

/** An event for emitEvents. One of the catalog does not compile here: SubscriberQuery.event makes it. */
export function newEvent<Name extends DocumentEventName>(
  name: Name,
  payload: PayloadOf<Name>,
  details: EventDetails,
): NewEvent {
  return makeEvent(name, payload, details);
}

/** The event of a notification, under the name that its sender gives. */
export function newNotificationEvent(payload: PayloadOf<typeof NAMED_BY_SENDER>, details: EventDetails): NewEvent {
  return makeEvent(NAMED_BY_SENDER, payload, { ...details, name: payload.notificationType });
}

/** An event that a client emits, under a name of its own. */
interface ClientEvent {
  readonly source: string;
  readonly event: string;
  /** Any JSON value. */
  readonly payload: unknown;
  readonly channel: number | null;
  readonly orderNumber?: string | null | undefined;
}

interface AcceptedEvent {
  readonly eventRequestId: string;
  /** How many definitions subscribe to it. */
  readonly deliveries: number;
  /** What to enqueue once `trx` has committed. */
  readonly dispatches: Dispatch[];
}

/** @throws DomainError too-large (payload) */
export async function acceptEvent(
  trx: Db,
  { siteId, accountId }: EventOrigin,
  { payload, ...event }: ClientEvent,
): Promise<AcceptedEvent> {
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text, 'utf8') > MAX_PAYLOAD_BYTES) {
    const message = `payload: is larger than ${MAX_PAYLOAD_BYTES / 1024} kB; send what receivers need to look the rest up`;
    throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
  }
  const { eventIds, deliveries, dispatches } = await recordEvents(trx, { siteId, accountId }, [
    { ...event, payload: text },
  ]);
  return { eventRequestId: eventIds[0] ?? '', deliveries, dispatches };
}

/** What to enqueue for events that are committed: their first attempts, and fan-outs still to be made. */
export async function firstDispatches(db: Db, eventIds: readonly string[]): Promise<Dispatch[]> {
  const { rows: deliveries } = await db.raw<{ rows: { id: string }[] }>(FIRST_ATTEMPTS, [[...eventIds]]);
  const fanOuts: { id: string; dispatch: number }[] = await db('event')
    .whereIn('id', eventIds)
    .whereNull('fanned_out_at')
    .select('id', 'dispatch');
  return [
    ...batchDispatches(deliveries.map(({ id }) => id)),
    ...fanOuts.map(({ id, dispatch }) => ({ queue: 'fan-out' as const, payload: { eventId: id, dispatch } })),
  ];
}

/** Event by event: OFFSET keeps the look-up from being joined, and then all deliveries from being read. */
const FIRST_ATTEMPTS = `
  SELECT due.id FROM unnest(?::text[]) AS asked (event_id) CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE event_id = asked.event_id COLLATE "C" AND ${ANY_DESTINATION} AND ${IS_PENDING} AND dispatch = 1
    OFFSET 0) AS due
  ORDER BY due.id`;

interface FanOutPage {
  /** What to enqueue now that the page is committed. */
  readonly dispatches: Dispatch[];
  /** Whether there may be more to do under this dispatch. */
  readonly more: boolean;
}

interface FanOutStep {
  readonly eventId: string;
  readonly dispatch: number;
}

const NOTHING: FanOutPage = { dispatches: [], more: false };

/** Makes a page of the deliveries of an event with many subscribers: each once, wherever it is cut off. Of two who hold the same dispatch one waits for the other and goes on behind it. */
export function fanOutPage(db: Db, { eventId, dispatch }: FanOutStep): Promise<FanOutPage> {
  return withRetries(db, async (trx) => {
    const event = await Event.query(trx)
      .findById(eventId)
      .select('id', 'site_id', 'source', 'event', 'channel', 'fan_out_after', 'dispatch', 'fanned_out_at')
      .forNoKeyUpdate();
    if (event === undefined || event.fanned_out_at !== null || event.dispatch !== dispatch) return NOTHING;
    const result = await trx.raw(PAGE, {
      eventId,
      siteId: event.site_id,
      source: event.source,
      names: subscribableNames(event.event),
      channel: event.channel,
      after: event.fan_out_after ?? '',
    });
    const { listeners, last, made } = result.rows[0];
    const more = listeners === FAN_OUT_PAGE;
    await Event.query(trx)
      .findById(eventId)
      .patch({
        deliveries: Event.raw('deliveries + ?', [made.length]),
        dispatched_at: Event.raw('now()'),
        fan_out_attempts: 0,
        ...(last === null ? {} : { fan_out_after: last }),
        ...(more ? {} : { fanned_out_at: Event.raw('now()') }),
      });
    return {
      dispatches: batchDispatches(made),
      more,
    };
  });
}

/** Who made a delivery before, in a transaction that was thought lost, is passed over by the unique index. */
const PAGE = `
  WITH given AS (SELECT :source::text AS source, :names::text[] AS names, :channel::integer AS channel),
  page AS MATERIALIZED (
    SELECT definition.id, row_number() OVER (ORDER BY definition.id) - 1 AS nth FROM given, webhook_definition AS definition
    WHERE ${SUBSCRIBES} AND definition.id > :after::text COLLATE "C"
    ORDER BY definition.id LIMIT ${FAN_OUT_PAGE}
  ), made AS (
    INSERT INTO delivery (id, event_id, definition_id, site_id)
    SELECT ${batchedId("concat(:eventId::text, ' after ', :after::text)", 'nth')}, :eventId, id, :siteId FROM page
    ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT (SELECT count(*)::integer FROM page) AS listeners, (SELECT max(id) FROM page) AS last,
         ARRAY(SELECT id FROM made) AS made`;

/** Has a fan-out that failed tried again, for ever: the event was accepted. @returns null when another took it over */
export function retryFanOut(
  db: Db,
  { eventId, dispatch }: FanOutStep,
): Promise<{ readonly dispatch: Dispatch; readonly delayMs: number } | null> {
  return withRetries(db, async (trx) => {
    const event = await trx('event')
      .where({ id: eventId, dispatch })
      .whereNull('fanned_out_at')
      .forNoKeyUpdate()
      .first('fan_out_attempts');
    if (event === undefined) return null;
    const delayMs = backoffMs(STEP_BACKOFF, event.fan_out_attempts + 1);
    await trx('event')
      .where({ id: eventId })
      .update({
        dispatch: dispatch + 1,
        dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
        fan_out_attempts: event.fan_out_attempts + 1,
      });
    return { dispatch: { queue: 'fan-out', payload: { eventId, dispatch: dispatch + 1 } }, delayMs };
  });
}
