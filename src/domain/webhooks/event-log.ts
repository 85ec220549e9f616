/**
 * The log of events with their deliveries and attempts, and how the endpoints are doing. The log is read by clients,
 * pruned, and cleared of personal data.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import type { DeliveryStatus } from '../../../db/models/delivery.js';
import type { SiteContext } from '../access/site-context.js';
import type { PageRequest } from '../kernel/paging.js';
import { ANY_DESTINATION, isCollected } from './delivery/delivery-sql.js';
import { canonicalEventName } from './event-types.js';

interface EventLogFilter {
  readonly eventRequestId?: string | undefined;
  readonly event?: string | undefined;
  readonly source?: string | undefined;
  readonly channel?: number | undefined;
  readonly orderNumber?: string | undefined;
  /** Only events that have a delivery to this definition; only its deliveries are shown. */
  readonly webhookId?: string | undefined;
  /** Only events that have a delivery with this status. */
  readonly status?: DeliveryStatus | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

interface EventLogOrder {
  readonly column: 'triggered_at' | 'event';
  readonly direction: 'asc' | 'desc';
}

export interface EventLog {
  readonly id: string;
  readonly account_id: string;
  readonly source: string;
  readonly channel: number | null;
  readonly event: string;
  readonly order_number: string | null;
  /**
   * A JSON text; null: the payload is left out, because the earlier ones of the page are too large together with it.
   */
  readonly payload: string | null;
  readonly triggered_at: Date;
  /** Null: deliveries are still being created. */
  readonly fanned_out_at: Date | null;
  /** The number of deliveries with each status, including callbacks. */
  readonly statuses: Readonly<Partial<Record<DeliveryStatus, number>>> | null;
  /** The number of attempts after the first, summed over all deliveries. */
  readonly retries: number;
  readonly logs: readonly DeliveryLog[];
}

export interface DeliveryLog {
  readonly definition_id: string | null;
  readonly callback_url: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: readonly AttemptLog[];
}

interface AttemptLog {
  readonly status_code: number | null;
  readonly triggered_at: string;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly response: string | null;
}

/** The maximum number of deliveries that are shown for one event. The filter webhookId finds the others. */
export const MAX_DELIVERIES = 100;
/** The maximum number of attempts, the latest ones, that are shown for one delivery. Replays add attempts. */
const MAX_ATTEMPTS = 50;
/** The maximum length of all payloads of one page, so that a process can hold many pages in memory. */
const MAX_PAYLOAD_CHARACTERS = 4_194_304;

/** Returns a page of the log, and the number of events on all pages. */
export async function pageEventLog(
  db: Db,
  site: SiteContext,
  filter: EventLogFilter,
  { column, direction }: EventLogOrder,
  { offset, limit }: PageRequest,
): Promise<{ rows: EventLog[]; count: number }> {
  const matching = eventsOf(db, site, filter);
  const order = [column, 'id'].map((by) => ({ column: by, order: direction }));
  const page = matching.clone().orderBy(order).offset(offset).limit(limit).select('*');
  const by = `page.${column} ${direction}, page.id ${direction}`;
  const [counted, shown] = await Promise.all([
    matching.clone().first(db.raw('count(*)::integer AS count')),
    db.raw<{ rows: EventLog[] }>(LOG_QUERY(by), { page, webhookId: filter.webhookId ?? null }),
  ]);
  return { rows: shown.rows, count: counted.count };
}

function eventsOf(db: Db, { siteId, channel }: SiteContext, filter: EventLogFilter): Knex.QueryBuilder {
  const { eventRequestId, event, source, orderNumber, webhookId, status, since, until } = filter;
  const query = db('event').where({ site_id: siteId });
  if (channel !== null) query.where((visible) => visible.whereNull('channel').orWhere({ channel }));
  if (eventRequestId !== undefined) query.where({ id: eventRequestId });
  if (event !== undefined) query.where({ event: canonicalEventName(event) });
  if (source !== undefined) query.where({ source });
  if (filter.channel !== undefined) query.where({ channel: filter.channel });
  if (orderNumber !== undefined) query.where({ order_number: orderNumber });
  if (since !== undefined) query.where('triggered_at', '>=', since);
  if (until !== undefined) query.where('triggered_at', '<', until);
  if (webhookId !== undefined || status !== undefined) {
    const deliveries = db('delivery')
      .select(db.raw('1'))
      .whereRaw(`delivery.event_id = event.id AND ${ANY_DESTINATION}`)
      .offset(0);
    if (webhookId !== undefined) deliveries.where({ definition_id: webhookId });
    if (status !== undefined) deliveries.where({ status });
    query.whereExists(deliveries);
  }
  return query;
}

const LOG_QUERY = (order: string): string => `
  WITH page AS (:page)
  SELECT page.id, page.account_id, page.source, page.channel, page.event, page.order_number, page.triggered_at,
    page.fanned_out_at,
    CASE WHEN sum(length(page.payload)) OVER (ORDER BY ${order}) <= ${MAX_PAYLOAD_CHARACTERS} THEN page.payload END AS payload,
    summary.statuses, coalesce(summary.retries, 0)::integer AS retries, coalesce(shown.logs, '[]') AS logs
  FROM page
  CROSS JOIN LATERAL (
    SELECT json_object_agg(status, deliveries) AS statuses, sum(retries) AS retries
    FROM (SELECT status, count(*) AS deliveries, sum(greatest(attempts - 1, 0)) AS retries
          FROM delivery WHERE event_id = page.id AND ${ANY_DESTINATION} GROUP BY status) AS of_status) AS summary
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object('definition_id', one.definition_id, 'callback_url', one.callback_url,
             'status', one.status, 'attempts', coalesce(made.attempts, '[]')) ORDER BY one.created_at, one.id) AS logs
    FROM (SELECT * FROM delivery
          WHERE event_id = page.id AND ${ANY_DESTINATION} AND (:webhookId::text IS NULL OR definition_id = :webhookId)
          ORDER BY created_at, id LIMIT ${MAX_DELIVERIES}) AS one
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('status_code', status_code, 'triggered_at', triggered_at,
               'duration_ms', duration_ms, 'error', error, 'response', response) ORDER BY attempt) AS attempts
      FROM (SELECT * FROM delivery_attempt WHERE delivery_id = one.id ORDER BY attempt DESC LIMIT ${MAX_ATTEMPTS}) AS latest
    ) AS made) AS shown
  ORDER BY ${order}`;

/** The number of rows that one statement deletes, so that no lock is held for long. */
const PRUNE_BATCH = 5_000;
type LogTable = 'delivery_attempt' | 'delivery' | 'event';

/**
 * Deletes events that are older than the retention time, with their deliveries. Ids begin with the second of their
 * creation, so that old rows are a range of the key.
 */
export async function pruneEvents(db: Db, retentionDays: number): Promise<void> {
  const oldest = Math.floor(Date.now() / 1000) - retentionDays * 86_400;
  const before = oldest.toString(16).padStart(8, '0');
  // Attempts are deleted before their delivery, and deliveries before their event.
  for (const table of ['delivery_attempt', 'delivery', 'event'] as const) await pruneTable(db, table, before);
}

async function pruneTable(db: Db, table: LogTable, before: string): Promise<void> {
  const key = table === 'delivery_attempt' ? 'delivery_id' : 'id';
  const deleteBatch = async (limit: number): Promise<number> => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      'DELETE FROM ?? WHERE ctid = ANY(ARRAY(SELECT ctid FROM ?? WHERE ?? < ? COLLATE "C" ORDER BY ?? LIMIT ?))',
      [table, table, key, before, key, limit],
    );
    return rowCount;
  };
  await inBatches(deleteBatch, PRUNE_BATCH);
}

/**
 * Empties `contactInfo` in the payloads of events, so that pending deliveries carry no contacts either. It also removes
 * the answers of targets, which may repeat what was sent; those to attempts under way will not be stored.
 * @returns how many of the events still exist
 */
export async function eraseContacts(trx: Knex.Transaction, eventIds: readonly string[]): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(EMPTY_CONTACTS, { eventIds: [...eventIds] });
  // Only a statement of its own sees the answers of attempts whose recording it has waited for.
  await trx.raw(REMOVE_ANSWERS, { eventIds: [...eventIds] });
  return rows.length;
}

/**
 * Locks the events in the order of their ids, and waits for attempts that are being recorded. Only the text of the
 * contacts is replaced, and every other byte of a payload stays. The first `"contactInfo":` of the text is the member of
 * the event itself: what stands before it is a type, an id or a name, in which quotation marks are escaped. If the text
 * does not contain it (earlier releases put spaces around colons), all members are written again, in the type json,
 * which keeps each value.
 */
const EMPTY_CONTACTS = `
  WITH locked AS MATERIALIZED (
    SELECT id FROM event WHERE id = ANY (:eventIds::text[]) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE event SET contacts_erased_at = now(), payload = (
    SELECT CASE
      WHEN member IS NULL THEN event.payload
      WHEN position(member in event.payload) > 0 THEN
        overlay(event.payload placing '"contactInfo":[]' from position(member in event.payload) for length(member))
      ELSE (SELECT json_object_agg(key, CASE key WHEN 'contactInfo' THEN '[]' ELSE value END)::text
            FROM json_each(event.payload::json)) END
    FROM (SELECT '"contactInfo":' || (event.payload::json -> 'contactInfo')::text AS member) AS contacts)
  FROM locked WHERE event.id = locked.id
  RETURNING event.id`;

const REMOVE_ANSWERS = `
  UPDATE delivery_attempt SET response = NULL
  WHERE response IS NOT NULL AND delivery_id IN (
    SELECT id FROM delivery WHERE event_id = ANY (:eventIds::text[]) AND callback_url IS NULL)`;

// The states of endpoints, which owners read beside the log

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

/** The length of the window is that of the circuit breaker, see judge-attempt.ts. */
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
