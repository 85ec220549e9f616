/** The log of events with their deliveries and attempts, as clients read it. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { DeliveryStatus } from '../../../db/models/delivery.js';
import type { SiteContext } from '../access/site-context.js';
import type { PageRequest } from '../kernel/paging.js';
import type { ChangedPart } from './definitions/former-definitions.js';
import { ANY_DESTINATION, isCollected } from './delivery-rows/delivery-sql.js';
import { canonicalEventName } from './events/event-aliases.js';

interface EventLogFilter {
  readonly eventRequestId?: string | undefined;
  readonly event?: string | undefined;
  readonly source?: string | undefined;
  readonly channel?: number | undefined;
  readonly orderNumber?: string | undefined;
  /** Only events that have a delivery to this definition; only its deliveries are shown. */
  readonly webhookId?: string | undefined;
  /** With webhookId: callbacks, which are called at an address of the owner, do not count as deliveries to it. */
  readonly withoutCallbacks?: boolean | undefined;
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
  /** Null: the payload is as it was sent. */
  readonly contacts_erased_at: Date | null;
  /** Null: deliveries are still being created. */
  readonly fanned_out_at: Date | null;
  /** Why some of its deliveries were not created; null: all were, or will be. */
  readonly fan_out_error: string | null;
  /** The number of deliveries with each status, including callbacks. */
  readonly statuses: Readonly<Partial<Record<DeliveryStatus, number>>> | null;
  /** The number of attempts after the first, summed over all deliveries. */
  readonly retries: number;
  readonly logs: readonly DeliveryLog[];
}

interface DeliveryLog {
  readonly definition_id: string | null;
  readonly callback_url: string | null;
  readonly status: DeliveryStatus;
  /** Null: none is planned. */
  readonly next_attempt_at: string | null;
  readonly attempts: readonly AttemptLog[];
}

interface AttemptLog {
  readonly status_code: number | null;
  readonly triggered_at: string;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly response: string | null;
  /** How the target was called, if its definition has changed since; null: as it says now, or that is unknown. */
  readonly former: FormerRequest | null;
  /** The definition has changed since, and how it was then was not kept. */
  readonly is_unknown: boolean;
}

/** How the target of a definition was called before a change of it. */
interface FormerRequest {
  readonly target: string;
  readonly format: string;
  readonly api_version: string;
  readonly target_api_key_hint: string | null;
  readonly header_hints: Readonly<Record<string, string>> | null;
  readonly ended_at: string;
  /** What differs from the definition as it is now: each change since has added to it. */
  readonly changed: readonly ChangedPart[];
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
  const { eventRequestId, event, source, orderNumber, webhookId, withoutCallbacks, status, since, until } = filter;
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
    if (withoutCallbacks === true) deliveries.whereNull('callback_url');
    if (status !== undefined) deliveries.where({ status });
    // Of a fan-out that was stopped, the deliveries that have failed are those that do not exist.
    if (status === 'DEAD' && webhookId === undefined) {
      query.where((failed) => failed.whereExists(deliveries).orWhereNotNull('fan_out_error'));
    } else query.whereExists(deliveries);
  }
  return query;
}

const LOG_QUERY = (order: string): string => `
  WITH page AS (:page)
  SELECT page.id, page.account_id, page.source, page.channel, page.event, page.order_number, page.triggered_at,
    page.contacts_erased_at, page.fanned_out_at, page.fan_out_error,
    CASE WHEN sum(length(page.payload)) OVER (ORDER BY ${order}) <= ${MAX_PAYLOAD_CHARACTERS} THEN page.payload END AS payload,
    summary.statuses, coalesce(summary.retries, 0)::integer AS retries, coalesce(shown.logs, '[]') AS logs
  FROM page
  CROSS JOIN LATERAL (
    SELECT json_object_agg(status, deliveries) AS statuses, sum(retries) AS retries
    FROM (SELECT status, count(*) AS deliveries, sum(greatest(attempts - 1, 0)) AS retries
          FROM delivery WHERE event_id = page.id AND ${ANY_DESTINATION} GROUP BY status) AS of_status) AS summary
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object('definition_id', one.definition_id, 'callback_url', one.callback_url,
             'status', one.status, 'next_attempt_at', CASE WHEN NOT ${isCollected('one')} THEN one.next_attempt_at END, 'attempts', coalesce(made.attempts, '[]')) ORDER BY one.created_at, one.id) AS logs
    FROM (SELECT * FROM delivery
          WHERE event_id = page.id AND ${ANY_DESTINATION} AND (:webhookId::text IS NULL OR definition_id = :webhookId)
          ORDER BY created_at, id LIMIT ${MAX_DELIVERIES}) AS one
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('status_code', status_code, 'triggered_at', triggered_at,
               'duration_ms', duration_ms, 'error', error, 'response', response, 'former', former.shown,
               'is_unknown', one.definition_id IS NOT NULL AND one.callback_url IS NULL AND former.shown IS NULL
                 AND NOT coalesce(present.version = latest.definition_version
                   OR (latest.definition_version IS NULL AND present.version = 1
                     AND present.updated_at <= latest.triggered_at), false)) ORDER BY attempt) AS attempts
      FROM (SELECT * FROM delivery_attempt WHERE delivery_id = one.id ORDER BY attempt DESC LIMIT ${MAX_ATTEMPTS}) AS latest
      LEFT JOIN webhook_definition AS present ON present.id = one.definition_id
      LEFT JOIN LATERAL (
        SELECT json_build_object('target', was.target, 'format', was.format, 'api_version', was.api_version,
            'target_api_key_hint', was.target_api_key_hint, 'header_hints', was.header_hints, 'ended_at', was.ended_at,
            'changed', (SELECT json_agg(DISTINCT part) FROM former_definition AS later, unnest(later.changed) AS part
                        WHERE later.definition_id = was.definition_id AND later.version >= was.version)) AS shown
        FROM former_definition AS was
        WHERE was.definition_id = one.definition_id AND was.version = latest.definition_version
          AND one.callback_url IS NULL) AS former ON true
    ) AS made) AS shown
  ORDER BY ${order}`;
