/** Loads what attempts need, for many deliveries with one statement. */
import type { Db } from '../../../../db/connection.js';
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import { prepared } from '../../../../db/prepared.js';
import { BATCH_DELIVERIES, batchOf } from '../delivery-rows/delivery-batch.js';
import { orderKeyOf } from '../delivery-rows/delivery-sql.js';
import { HEALTHY, type Health } from './health/endpoint-health.js';
import { HEALTH_JSON } from './health/health-json.js';
import type { LoadedDefinition, LoadedDelivery, LoadedEvent } from './loaded-delivery.js';

interface Row {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly dispatch: number;
  readonly attempts: number;
  readonly round_start: number;
  readonly callback_url: string | null;
  readonly definition_id: string | null;
  readonly event_id: string;
  /** Only the first row of each event and definition contains it, since many rows share them. */
  readonly event: Omit<LoadedEvent, 'triggered_at' | 'payload' | 'mayHaveContacts'> | null;
  readonly triggered_at: Date | null;
  readonly payload: string | null;
  readonly definition:
    | (Omit<LoadedDefinition, 'previous_secret_until'> & { previous_secret_until: string | null })
    | null;
  readonly health: Health | null;
  readonly order_key: string | null;
  readonly behind: string | null;
  readonly is_behind_fan_out: boolean | null;
}

/** Loads deliveries by their ids. Those that were pruned are missing in the result. */
export async function loadDeliveries(db: Db, ids: readonly string[]): Promise<Map<string, LoadedDelivery>> {
  return new Map((await load(db, BY_ID, [...new Set(ids)])).map((delivery) => [delivery.id, delivery]));
}

/** Loads, in order, the deliveries of each batch whose first attempts are still to be made by the batch. */
export async function loadBatches(db: Db, batches: readonly string[]): Promise<LoadedDelivery[][]> {
  const byBatch = new Map<string, LoadedDelivery[]>(batches.map((batch) => [batch, []]));
  for (const delivery of await load(db, BY_BATCH, [...byBatch.keys()])) {
    byBatch.get(batchOf(delivery.id))?.push(delivery);
  }
  return batches.map((batch) => byBatch.get(batch) ?? []);
}

async function load(db: Db, statement: string, keys: readonly string[]): Promise<LoadedDelivery[]> {
  const { rows } = await prepared<{ rows: Row[] }>(db, statement, [[...keys]]);
  const events = new Map<string, LoadedEvent>();
  const definitions = new Map<string, LoadedDefinition>();
  for (const { event, payload, triggered_at, definition } of rows) {
    if (event !== null && payload !== null && triggered_at !== null) {
      const mayHaveContacts = payload.includes('"contactInfo"');
      events.set(event.id, { ...event, payload, triggered_at, mayHaveContacts });
    }
    if (definition !== null) definitions.set(definition.id, definitionOf(definition));
  }
  return rows.flatMap((row) => {
    const event = events.get(row.event_id);
    if (event === undefined) return [];
    const definition = row.definition_id === null ? null : (definitions.get(row.definition_id) ?? null);
    return [deliveryOf(row, event, definition)];
  });
}

function deliveryOf(row: Row, event: LoadedEvent, definition: LoadedDefinition | null): LoadedDelivery {
  const { id, status, dispatch, attempts, round_start, callback_url, definition_id, health, order_key, behind } = row;
  return {
    id,
    status,
    dispatch,
    attempts,
    event,
    definition,
    roundStart: round_start,
    callbackUrl: callback_url,
    definitionId: definition_id,
    behind,
    health: health ?? HEALTHY,
    orderKey: order_key,
    isBehindFanOut: row.is_behind_fan_out ?? false,
  };
}

function definitionOf(definition: NonNullable<Row['definition']>): LoadedDefinition {
  const until = definition.previous_secret_until;
  return { ...definition, previous_secret_until: until === null ? null : new Date(until) };
}

const DELIVERY = `delivery.id, delivery.status, delivery.dispatch, delivery.attempts, delivery.round_start,
  delivery.callback_url, delivery.definition_id, delivery.event_id, delivery.order_key, delivery.order_no, delivery.site_id`;

/**
 * Health is selected only if it differs from HEALTHY, which is rare. Events and definitions are looked up by their
 * keys, only for the row that contains them: with joins, Postgres might read whole tables. Earlier deliveries are
 * looked up only for a row that has an order.
 */
function loadOf(due: string): string {
  return `
    WITH due AS MATERIALIZED (${due}), counted AS (
      SELECT due.*, row_number() OVER (PARTITION BY event_id) AS nth_of_event,
             row_number() OVER (PARTITION BY definition_id) AS nth_of_definition
      FROM due
    )
    SELECT counted.*, earlier.id AS behind, fanning_out.is_behind_fan_out, event.triggered_at, event.payload,
      CASE WHEN event.id IS NOT NULL THEN json_build_object('id', event.id, 'site_id', event.site_id,
        'account_id', event.account_id, 'source', event.source, 'event', event.event, 'channel', event.channel,
        'order_number', event.order_number, 'traceparent', event.traceparent) END AS event,
      CASE WHEN definition.id IS NOT NULL THEN json_build_object('id', definition.id, 'target', definition.target,
        'request_type', definition.request_type, 'api_version', definition.api_version, 'format', definition.format,
        'callback_url', definition.callback_url, 'target_api_key', definition.target_api_key,
        'secret', definition.secret, 'previous_secret', definition.previous_secret,
        'previous_secret_until', definition.previous_secret_until, 'older_secrets', definition.older_secrets,
        'headers', definition.headers, 'version', definition.version, 'rate_limit', definition.rate_limit,
        'status', CASE WHEN definition.status = 'DISABLED' AND definition.collects_until > now() THEN 'COLLECTING'
          ELSE definition.status END) END AS definition,
      CASE WHEN health.failure_streak > 0 OR health.open_until IS NOT NULL OR health.paused_until IS NOT NULL
        OR health.window_began_at IS NOT NULL THEN ${HEALTH_JSON} END AS health
    FROM counted
    LEFT JOIN LATERAL (
      SELECT * FROM event WHERE id = counted.event_id AND counted.nth_of_event = 1 LIMIT 1) AS event ON true
    LEFT JOIN LATERAL (
      SELECT * FROM webhook_definition
      WHERE id = counted.definition_id AND counted.nth_of_definition = 1 LIMIT 1) AS definition ON true
    LEFT JOIN LATERAL (
      SELECT * FROM endpoint_health WHERE definition_id = counted.definition_id LIMIT 1) AS health ON true
    LEFT JOIN LATERAL (
      SELECT delivery.id FROM delivery
      WHERE counted.order_key IS NOT NULL AND delivery.order_key IS NOT NULL AND delivery.status = 'PENDING'
        AND delivery.definition_id = counted.definition_id AND delivery.order_key = counted.order_key
        AND delivery.order_no < counted.order_no
      ORDER BY delivery.definition_id, delivery.order_key, delivery.order_no LIMIT 1) AS earlier ON true
    LEFT JOIN LATERAL (
      SELECT true AS is_behind_fan_out FROM event AS fanning
      WHERE counted.order_key IS NOT NULL AND fanning.fanned_out_at IS NULL AND fanning.site_id = counted.site_id
        AND fanning.order_no < counted.order_no AND ${orderKeyOf('fanning')} = counted.order_key
      ORDER BY fanning.site_id, ${orderKeyOf('fanning')}, fanning.order_no LIMIT 1) AS fanning_out ON true`;
}

const BY_ID = loadOf(`SELECT ${DELIVERY} FROM delivery WHERE delivery.id = ANY(?::text[])`);

/** The deliveries of a batch are neighbours in the index. The limit shows the planner that there are few of them. */
const BY_BATCH = loadOf(`
  SELECT of_batch.* FROM unnest(?::text[]) AS asked (batch) CROSS JOIN LATERAL (
    SELECT ${DELIVERY} FROM delivery
    WHERE delivery.id >= asked.batch COLLATE "C" AND delivery.id < (asked.batch || 'g') COLLATE "C"
    ORDER BY delivery.id LIMIT ${BATCH_DELIVERIES}) AS of_batch
  WHERE of_batch.status = 'PENDING' AND of_batch.dispatch = 1`);
