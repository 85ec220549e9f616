/**
 * Emits events in the caller's transaction, so that a change and its deliveries are committed together. If very many
 * definitions subscribe to an event, a queue job creates the deliveries afterwards, page by page.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Event } from '../../../db/models/event.js';
import { prepared } from '../../../db/prepared.js';
import { withRetries } from '../../../db/with-retries.js';
import { backoffMs, STEP_BACKOFF } from '../../platform/backoff.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import type { OpaqueJson } from '../kernel/opaque-json.js';
import { BATCH_CHARACTERS, BATCH_DELIVERIES, batchEntries, batchedId } from './delivery/delivery-batch.js';
import { ANY_DESTINATION, dueOf, FIRST_DISPATCH, IS_PENDING, orderOf, passes } from './delivery/delivery-sql.js';
import { NAMED_BY_SENDER } from './event-types/notification-event.js';
import { canonicalEventName, type EventNameOf, type PayloadOf, refusalOf, subscribableNames } from './event-types.js';
import type { EventDetails, EventRecord, NewEvent } from './events/new-event.js';
import { makeEvent } from './events/new-event.js';
import { SUBSCRIBES } from './subscribers.js';

/** The site and account of events. */
interface EventOrigin {
  readonly siteId: number;
  readonly accountId: string;
  /** The W3C trace context of the request or job that they come from. Absent: it has none. */
  readonly traceparent?: string | null | undefined;
}

interface Emitted {
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
/**
 * The number of deliveries that a fan-out creates with one statement.
 * @internal exported for tests
 */
export const FAN_OUT_PAGE = 250;
/** The maximum number of events in one statement, which contains all their payloads. */
const EVENTS_AT_ONCE = 20;

/** Records events, and all deliveries of those with at most FEW_SUBSCRIBERS. */
export async function recordEvents(
  trx: Db,
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

export type { NewEvent };

/** The maximum size of the payload of an event, in UTF-8. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/**
 * Records events with their deliveries.
 * @param events catalog events come from SubscriberQuery.event, others from newEvent
 */
export function emitEvents(trx: Db, origin: EventOrigin, events: readonly NewEvent[]): Promise<Emitted> {
  return recordEvents(
    trx,
    origin,
    events.map(({ record }) => record),
  );
}

/** Events of documents, which are recorded whether or not a definition subscribes to them. */
type DocumentEventName = Exclude<EventNameOf<'OMS'>, typeof NAMED_BY_SENDER>;

/** Creates an event for emitEvents. Catalog events do not compile here: SubscriberQuery.event creates them. */
export function newEvent<Name extends DocumentEventName>(
  name: Name,
  payload: PayloadOf<Name>,
  details: EventDetails,
): NewEvent {
  return makeEvent(name, payload, details);
}

/** Creates the event of a notification, with the name that the sender gives. @throws DomainError invalid (reserved) */
export function newNotificationEvent(payload: PayloadOf<typeof NAMED_BY_SENDER>, details: EventDetails): NewEvent {
  refuseReserved('OMS', payload.notificationType);
  return makeEvent(NAMED_BY_SENDER, payload, { ...details, name: payload.notificationType });
}

/** An event that a client emits, with a name of its own. */
interface ClientEvent {
  readonly source: string;
  readonly event: string;
  readonly payload: OpaqueJson;
  readonly channel: number | null;
  readonly orderNumber?: string | null | undefined;
}

/**
 * Records events that a client emits.
 * @throws DomainError too-large (a payload), invalid (a reserved name); it names the event if there are several
 */
export async function acceptEvents(trx: Db, origin: EventOrigin, events: readonly ClientEvent[]): Promise<Emitted> {
  const records = events.map(({ payload, ...event }, index) => {
    const where = events.length === 1 ? '' : `${index}.`;
    refuseReserved(event.source, event.event, where);
    const { text } = payload;
    if (Buffer.byteLength(text, 'utf8') > MAX_PAYLOAD_BYTES) {
      const message = `${where}payload: is larger than ${MAX_PAYLOAD_BYTES / 1024} kB; send ids by which receivers can load the rest`;
      throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
    }
    return { ...event, payload: text };
  });
  return recordEvents(trx, origin, records);
}

/** @throws DomainError invalid */
function refuseReserved(source: string, event: string, where = ''): void {
  const message = refusalOf(source, event);
  if (message !== null) throw new DomainError('invalid', 'EVENT_RESERVED', `${where}${message}`);
}

/** Returns what to enqueue for committed events: their first attempts, and fan-outs that are not finished. */
export async function firstEntries(db: Db, eventIds: readonly string[]): Promise<OutboxEntry[]> {
  const { rows: deliveries } = await db.raw<{ rows: { id: string; account: string }[] }>(FIRST_ATTEMPTS, [
    [...eventIds],
  ]);
  const fanOuts: DueFanOut[] = await db('event')
    .whereIn('id', eventIds)
    .whereNull('fanned_out_at')
    .select('id', 'account_id', 'dispatch', 'fan_out_deaths');
  return [...batchEntries(deliveries), ...fanOuts.map(fanOutEntry)];
}

/** OFFSET makes Postgres look up each event separately: with a join, it might read all deliveries. */
const FIRST_ATTEMPTS = `
  SELECT due.id, event.account_id AS account
  FROM unnest(?::text[]) AS asked (event_id) CROSS JOIN LATERAL (
    SELECT id, account_id FROM event WHERE id = asked.event_id COLLATE "C" OFFSET 0) AS event CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE event_id = event.id AND ${ANY_DESTINATION} AND ${IS_PENDING} AND dispatch = ${FIRST_DISPATCH}
    OFFSET 0) AS due
  ORDER BY due.id`;

interface FanOutPage {
  /** What to enqueue now that the page is committed. */
  readonly outboxEntries: OutboxEntry[];
  /** Whether there may be more pages for this fencing token. */
  readonly more: boolean;
}

interface FanOutStep {
  readonly eventId: string;
  readonly dispatch: number;
}

/** The columns of an event that make the outbox entry of its fan-out. */
type DueFanOut = Pick<Event, 'id' | 'account_id' | 'dispatch' | 'fan_out_deaths'>;

/** The outbox entry of a fan-out. It stays suspect, under whatever fencing token, until it is done. */
export function fanOutEntry({ id, account_id: account, dispatch, fan_out_deaths: deaths }: DueFanOut): FanOutEntry {
  return {
    queue: 'fan-out',
    payload: { eventId: id, dispatch, account, ...(deaths === null ? {} : { suspect: true }) },
  };
}

export type FanOutEntry = Extract<OutboxEntry, { queue: 'fan-out' }>;

const NOTHING: FanOutPage = { outboxEntries: [], more: false };

/**
 * Creates a page of the deliveries of an event with many subscribers. Each delivery is created once, even after a
 * crash. If two workers have the same fencing token, one waits for the other and continues after its page.
 */
export function fanOutPage(db: Db, { eventId, dispatch }: FanOutStep): Promise<FanOutPage> {
  return withRetries(db, async (trx) => {
    const event = await Event.query(trx)
      .findById(eventId)
      .select(
        'id',
        'account_id',
        'site_id',
        'source',
        'event',
        'channel',
        'order_number',
        'document',
        'order_no',
        'fan_out_after',
        'dispatch',
        'fanned_out_at',
      )
      .forNoKeyUpdate();
    if (event === undefined || event.fanned_out_at !== null || event.dispatch !== dispatch) return NOTHING;
    const result = await trx.raw(PAGE, {
      eventId,
      siteId: event.site_id,
      source: event.source,
      names: subscribableNames(event.event),
      channel: event.channel,
      orderNumber: event.order_number,
      document: event.document,
      orderNo: event.order_no,
      after: event.fan_out_after ?? '',
    });
    const { subscribers, last, created, made } = result.rows[0];
    const more = subscribers === FAN_OUT_PAGE;
    await Event.query(trx)
      .findById(eventId)
      .patch({
        deliveries: Event.raw('deliveries + ?', [created]),
        dispatched_at: Event.raw('now()'),
        fan_out_attempts: 0,
        ...(last === null ? {} : { fan_out_after: last }),
        ...(more ? {} : { fanned_out_at: Event.raw('now()') }),
      });
    return {
      outboxEntries: batchEntries(made.map((id: string) => ({ id, account: event.account_id }))),
      more,
    };
  });
}

/** The unique index skips deliveries that exist: a transaction that seemed lost may have committed. */
const PAGE = `
  WITH given AS (SELECT :source::text AS source, :names::text[] AS names, :channel::integer AS channel,
    :orderNumber::text AS order_number, :document::text AS document, :orderNo::bigint AS order_no),
  page AS MATERIALIZED (
    SELECT definition.id, definition.ordering, definition.filter, definition.status,
           row_number() OVER (ORDER BY definition.id) - 1 AS nth
    FROM given, webhook_definition AS definition
    WHERE ${SUBSCRIBES} AND definition.id > :after::text COLLATE "C"
    ORDER BY definition.id LIMIT ${FAN_OUT_PAGE}
  ), parsed AS MATERIALIZED (
    SELECT webhook_payload(payload) AS payload FROM event
    WHERE id = :eventId AND EXISTS (SELECT FROM page WHERE filter IS NOT NULL)
  ), made AS (
    INSERT INTO delivery (id, event_id, definition_id, site_id, next_attempt_at, dispatched_at, dispatch, order_key,
                          order_no)
    SELECT ${batchedId("concat(:eventId::text, ' after ', :after::text)", 'nth')}, :eventId, id, :siteId,
           ${dueOf('page')}, ${orderOf('page', 'given')}
    FROM page, given WHERE ${passes('page.filter', '(SELECT payload FROM parsed)')}
    ON CONFLICT DO NOTHING RETURNING id, dispatch
  )
  SELECT (SELECT count(*)::integer FROM page) AS subscribers, (SELECT max(id) FROM page) AS last,
         (SELECT count(*)::integer FROM made) AS created,
         ARRAY(SELECT id FROM made WHERE dispatch = ${FIRST_DISPATCH}) AS made`;

/** Records that a fan-out was found without its worker: each further start of it is suspect. */
export async function suspectFanOut(db: Db, { eventId, dispatch }: FanOutStep): Promise<void> {
  await db('event')
    .where({ id: eventId, dispatch })
    .whereNull('fanned_out_at')
    .whereNull('fan_out_deaths')
    .update({ fan_out_deaths: 0 });
}

/** A fan-out that has ended so many processes in which nothing else ran is stopped. */
const MAX_DEATHS = 3;

/** What follows from the failure of a fan-out. */
type FanOutFailure =
  | { readonly kind: 'again'; readonly entry: FanOutEntry; readonly delayMs: number }
  /** The fencing token is no longer that of the event, or the caller executes the fan-out again under the same token. */
  | { readonly kind: 'nothing' }
  /** Nothing more is done about it until somebody replays the event. */
  | { readonly kind: 'stopped'; readonly reason: string };

/**
 * Records that a fan-out has failed, and schedules another try. There is no limit to the tries, because the event was
 * accepted, except for one that ends its process: it is stopped, with its reason, and the events behind it go on.
 * @param death how it ended the process in which nothing else ran: the signal or the exit code
 */
export function recordFanOutFailure(
  db: Db,
  { eventId, dispatch }: FanOutStep,
  death: string | null,
): Promise<FanOutFailure> {
  return withRetries(db, async (trx) => {
    const own = () => trx('event').where({ id: eventId, dispatch }).whereNull('fanned_out_at');
    const event = await own().forNoKeyUpdate().first('fan_out_attempts', 'fan_out_deaths');
    if (event === undefined) return { kind: 'nothing' };
    if (death !== null) return recordDeath(own(), event.fan_out_deaths ?? 0, death);
    const delayMs = backoffMs(STEP_BACKOFF, event.fan_out_attempts + 1);
    const [again] = await own()
      .update({
        dispatch: dispatch + 1,
        dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
        fan_out_attempts: event.fan_out_attempts + 1,
      })
      .returning(['id', 'account_id', 'dispatch', 'fan_out_deaths']);
    return { kind: 'again', entry: fanOutEntry(again), delayMs };
  });
}

async function recordDeath(own: Knex.QueryBuilder, before: number, how: string): Promise<FanOutFailure> {
  const deaths = before + 1;
  if (deaths < MAX_DEATHS) {
    await own.update({ fan_out_deaths: deaths });
    return { kind: 'nothing' };
  }
  const reason = `the deliveries of this event were not all created, because this ended the process (${how}) each of ${MAX_DEATHS} times, although nothing else ran there; to try it again, replay the event`;
  await own.update({ fan_out_deaths: deaths, fan_out_error: reason, fanned_out_at: new Date() });
  return { kind: 'stopped', reason };
}
