/** Finds deliveries and fan-outs that are overdue or are to be repeated, and starts them again. */

import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { DeliveryLane } from '../../../db/models/delivery.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { pastInstant } from '../kernel/past-instant.js';
import { findDefinition } from './definitions.js';
import { batchOf } from './delivery/delivery-batch.js';
import { ANY_DESTINATION, isCollected, orderOf, passes } from './delivery/delivery-sql.js';
import { type FanOutEntry, fanOutEntry } from './emit-events.js';
import { canonicalEventName, EVENT_TYPES, EVERY_EVENT } from './event-types.js';

// Reads overdue deliveries for the reconciler: every endpoint has a share, so that no backlog hides what others lost.

/** The id of a definition. Callbacks that belong to no definition count as one endpoint: null. */
type Endpoint = string | null;

/** A delivery that was due long ago, and its endpoint. */
export interface OverdueDelivery extends DueDelivery {
  readonly endpoint: Endpoint;
}

/** Where a lap through the overdue deliveries of one endpoint has stopped. */
interface Position {
  /** A timestamp as text, because Date has no microseconds. */
  readonly at: string;
  readonly id: string;
  /** A lap ends at what was overdue when it began: what arrives meanwhile cannot postpone the next lap. */
  readonly until: string;
}

/** Endpoints with overdue deliveries that are read in one pass. */
const MAX_ENDPOINTS = 100;
/** Endpoints with pending deliveries, overdue or not, that are looked at in one pass. */
const MAX_WALKED = 1_000;

/**
 * Goes round through all endpoints, and round through the overdue deliveries of each. So every overdue delivery is read
 * after a number of passes that depends on the number of endpoints and on the backlog of its own endpoint alone. The
 * positions are in memory: a new process begins from the start.
 */
export class OverdueDeliveries {
  /** The last endpoint of the previous pass; null: the walk begins from the start. */
  #after: string | null = null;
  /** Only of endpoints whose lap has not ended. */
  readonly #positions = new Map<Endpoint, Position>();

  /** Returns the next endpoints that have deliveries which were due more than `graceMs` ago. */
  async nextEndpoints(db: Db, graceMs: number): Promise<Endpoint[]> {
    const { rows } = await db.raw<{ rows: Walked[] }>(WALK, { after: this.#after ?? '', graceMs });
    const last = rows.at(-1);
    const stopped = last !== undefined && (last.nth === MAX_WALKED || last.found === MAX_ENDPOINTS);
    this.#after = stopped ? last.endpoint : null;
    const overdue = rows.filter(({ is_overdue }) => is_overdue).map(({ endpoint }) => endpoint);
    return stopped ? overdue : [...overdue, null];
  }

  /** Reads on in the laps of these endpoints: about `most` deliveries in all, and of each endpoint equally many. */
  async read(db: Db, graceMs: number, endpoints: readonly Endpoint[], most: number): Promise<OverdueDelivery[]> {
    if (endpoints.length === 0) return [];
    const share = Math.max(1, Math.floor(most / endpoints.length));
    const given = endpoints.map((endpoint) => ({ endpoint, ...this.#positions.get(endpoint) }));
    const { rows } = await db.raw<{ rows: Read[] }>(READ, { given: JSON.stringify(given), graceMs, share });
    for (const endpoint of endpoints) {
      const page = rows.filter((row) => row.endpoint === endpoint);
      const last = page[share - 1];
      if (last === undefined) this.#positions.delete(endpoint);
      else this.#positions.set(endpoint, { at: last.due_at, id: last.id, until: last.until });
    }
    return rows;
  }

  /** Whether overdue deliveries of this endpoint are left in its lap. */
  hasMore(endpoint: Endpoint): boolean {
    return this.#positions.has(endpoint);
  }
}

interface Walked {
  readonly endpoint: string;
  readonly is_overdue: boolean;
  /** The number of endpoints that were looked at so far, and of those among them with overdue deliveries. */
  readonly nth: number;
  readonly found: number;
}

/** The next definition with pending deliveries, of which the first is the one that is due first. */
const nextOf = (after: string): string => `
  SELECT definition_id AS endpoint, next_attempt_at < now() - :graceMs * interval '1 millisecond' AS is_overdue
  FROM delivery WHERE status = 'PENDING' AND definition_id > ${after} COLLATE "C"
  ORDER BY definition_id, next_attempt_at, id LIMIT 1`;

/** One descent of delivery_endpoint_ix for each endpoint, however many deliveries it has. */
const WALK = `
  WITH RECURSIVE walked AS (
    SELECT endpoint, is_overdue, 1 AS nth, is_overdue::integer AS found FROM (${nextOf(':after')}) AS first
    UNION ALL
    SELECT next.endpoint, next.is_overdue, walked.nth + 1, walked.found + next.is_overdue::integer
    FROM walked CROSS JOIN LATERAL (${nextOf('walked.endpoint')}) AS next
    WHERE walked.nth < ${MAX_WALKED} AND walked.found < ${MAX_ENDPOINTS}
  )
  SELECT endpoint, is_overdue, nth, found FROM walked ORDER BY nth`;

interface Read extends OverdueDelivery {
  readonly due_at: string;
  readonly until: string;
}

/** Only PENDING deliveries have `next_attempt_at`. The order is that of delivery_endpoint_ix, also for no definition. */
const readOf = (given: string, same: string): string => `
  SELECT given.endpoint, due.id, due.lane, due.dispatch, due.next_attempt_at::text AS due_at, given.until::text AS until
  FROM given CROSS JOIN LATERAL (
    SELECT id, lane, dispatch, next_attempt_at FROM delivery
    WHERE ${same} AND status = 'PENDING' AND next_attempt_at < given.until
      AND (next_attempt_at, id) > (given.at, given.id COLLATE "C")
    ORDER BY definition_id, next_attempt_at, id LIMIT :share) AS due
  WHERE ${given}`;

const READ = `
  WITH given AS MATERIALIZED (
    SELECT endpoint, coalesce(at, '-infinity') AS at, coalesce(id, '') AS id,
           coalesce(until, now() - :graceMs * interval '1 millisecond') AS until
    FROM jsonb_to_recordset(:given::jsonb) AS one (endpoint text, at timestamptz, id text, until timestamptz)
  )
  ${readOf('given.endpoint IS NOT NULL', 'definition_id = given.endpoint COLLATE "C"')}
  UNION ALL
  ${readOf('given.endpoint IS NULL', 'definition_id IS NULL')}`;

// Enqueues deliveries and fan-outs again: those that the queue has lost, and those that are replayed.

/** The columns that a replay sets in `delivery`. The schedule begins again, while the attempts are still counted on. */
const BEGIN_ROUND = `status = 'PENDING', lane = 'again', round_start = delivery.attempts, next_attempt_at = now(),
  dispatch = delivery.dispatch + 1, dispatched_at = now(), completed_at = NULL, waits_behind = NULL`;

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string;
  readonly lane: DeliveryLane;
  readonly dispatch: number;
}

/**
 * Gives deliveries that the queue has lost a new fencing token. They are due anew, and so not overdue for a while. Rows
 * that are locked are skipped.
 * @returns what to enqueue
 */
export async function redispatchDeliveries(db: Db, lost: readonly DueDelivery[]): Promise<OutboxEntry[]> {
  if (lost.length === 0) return [];
  const { rows } = await db.raw<{ rows: DueDelivery[] }>(
    `UPDATE delivery SET dispatch = delivery.dispatch + 1, next_attempt_at = now(), dispatched_at = now()
     FROM (${FREE}) AS free WHERE delivery.id = free.id
     RETURNING delivery.id, delivery.lane, delivery.dispatch`,
    [given(lost)],
  );
  return rows.map(entryOf);
}

/** The outbox entry of a delivery: that of its batch, until the delivery has one of its own. */
export function entryOf({ id, lane, dispatch }: DueDelivery): OutboxEntry {
  if (dispatch === 1) return { queue: 'batch', payload: { batch: batchOf(id) } };
  return { queue: lane === 'first' ? 'deliver' : 'redeliver', payload: { deliveryId: id, dispatch } };
}

function given(deliveries: readonly DueDelivery[]): string {
  return JSON.stringify(deliveries);
}

/** The given deliveries whose fencing tokens are unchanged and whose rows are not locked. Each is looked up by its id. */
const FREE = `
  SELECT unlocked.id FROM jsonb_to_recordset(?::jsonb) AS given (id text, dispatch integer)
  CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE id = given.id COLLATE "C" AND dispatch = given.dispatch AND status = 'PENDING'
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS unlocked`;

/** Fan-outs that are read in one pass, unless some of them were lost. */
const FAN_OUTS = 500;

/**
 * Goes round through the overdue fan-outs of all events. Those that the queue still has are not marked: so the position is
 * in memory, and each pass continues where the previous one has stopped.
 */
export class OverdueFanOuts {
  /** Null: the next lap begins at the start. */
  #position: Position | null = null;

  /** Reads on: fan-outs that were due, or created their last page, more than `graceMs` ago. */
  async read(db: Db, graceMs: number): Promise<FanOutEntry[]> {
    const { rows } = await db.raw<{ rows: (Parameters<typeof fanOutEntry>[0] & Position)[] }>(OVERDUE_FAN_OUTS, {
      graceMs,
      ...(this.#position ?? { at: null, id: null, until: null }),
    });
    const last = rows[FAN_OUTS - 1];
    this.#position = last === undefined ? null : { at: last.at, id: last.id, until: last.until };
    return rows.map(fanOutEntry);
  }

  /** Whether overdue fan-outs are left in the lap. */
  hasMore(): boolean {
    return this.#position !== null;
  }
}

const LAP_END = "coalesce(:until::timestamptz, now() - :graceMs * interval '1 millisecond')";
/** Reads one range of event_fan_out_ix; events of one transaction have the same time, and only these are sorted. */
const OVERDUE_FAN_OUTS = `
  SELECT id, account_id, dispatch, fan_out_deaths, dispatched_at::text AS at, (${LAP_END})::text AS until
  FROM event
  WHERE fanned_out_at IS NULL AND dispatched_at < ${LAP_END}
    AND (dispatched_at, id) > (coalesce(:at::timestamptz, '-infinity'), coalesce(:id::text, '') COLLATE "C")
  ORDER BY dispatched_at, id LIMIT ${FAN_OUTS}`;

/** Gives a fan-out that the queue has lost a new fencing token. @returns null when it is being executed, or is done */
export function redispatchFanOut(db: Db, { payload }: FanOutEntry): Promise<FanOutEntry | null> {
  return db.transaction(async (trx) => {
    const row = trx('event').where({ id: payload.eventId, dispatch: payload.dispatch }).whereNull('fanned_out_at');
    if ((await row.clone().forNoKeyUpdate().skipLocked().first('id')) === undefined) return null;
    const [again] = await row
      .clone()
      .update({ dispatch: payload.dispatch + 1, dispatched_at: trx.fn.now() })
      .returning(['id', 'account_id', 'dispatch', 'fan_out_deaths']);
    return fanOutEntry(again);
  });
}

/**
 * Replays an event. Without a definition, these are all deliveries that failed permanently or were cancelled, except to
 * definitions that are disabled or deleted, and those that were not created because the fan-out was stopped. With a definition, the event is delivered to it even if it was delivered
 * before, or if the definition is newer than the event; a delivery that waits for its next attempt is attempted now,
 * even while the circuit breaker is open.
 * @returns what to enqueue, one entry per delivery; the fan-out counts as one
 * @throws DomainError not-found (event, definition), conflict (the definition is disabled)
 */
export function replayEvent(
  db: Db,
  siteId: number,
  { eventRequestId, webhookId }: { readonly eventRequestId: string; readonly webhookId?: string | undefined },
): Promise<OutboxEntry[]> {
  return withRetries(db, async (trx) => {
    const event = isId(eventRequestId)
      ? await trx('event').where({ id: eventRequestId, site_id: siteId }).first('id')
      : undefined;
    if (event === undefined) {
      throw new DomainError('not-found', 'EVENT_NOT_FOUND', 'No webhook event present for the given eventRequest Id');
    }
    if (webhookId === undefined)
      return [...(await resumeFanOut(trx, event.id)), ...(await replayFailed(trx, event.id))];
    const definition = await findDefinition(trx, siteId, webhookId);
    if (definition.status !== 'ACTIVE') throw disabled();
    await admitNext(trx, definition.id);
    return [...(await attemptNow(trx, event.id, definition.id)), ...(await deliverAgain(trx, event.id, definition.id))];
  });
}

/** Ends a pause of an endpoint, and lets an open circuit breaker admit a probe now. */
async function admitNext(trx: Db, definitionId: string): Promise<void> {
  await trx.raw(
    `UPDATE endpoint_health SET paused_until = NULL, probing_since = NULL, updated_at = now(),
       open_until = CASE WHEN open_until IS NOT NULL THEN now() END
     WHERE definition_id = ? AND (paused_until IS NOT NULL OR open_until IS NOT NULL)`,
    [definitionId],
  );
}

/** The maximum number of deliveries that one statement of a resumption makes due, and how many statements there are. */
const RESUME_PAGE = 1_000;
const MAX_RESUME_PAGES = 20;

interface Resumed {
  /** What to enqueue, one entry per delivery. */
  readonly outboxEntries: OutboxEntry[];
  /** Whether deliveries are left that wait for a later time, because there were too many for one request. */
  readonly more: boolean;
}

/**
 * Makes the waiting deliveries of a definition due now, those that are due soonest first, whatever its circuit breaker
 * or a Retry-After says. If the breaker is open, the first delivery is a probe: if it fails, the breaker opens again.
 * @throws DomainError not-found, conflict (the definition is disabled)
 */
export async function resumeDeliveries(
  db: Db,
  siteId: number,
  webhookId: string,
  record: (trx: Db) => Promise<void> = async () => undefined,
): Promise<Resumed> {
  await withRetries(db, async (trx) => {
    const definition = await findDefinition(trx, siteId, webhookId);
    if (definition.status !== 'ACTIVE') throw disabled();
    await admitNext(trx, definition.id);
    await record(trx);
  });
  const outboxEntries: OutboxEntry[] = [];
  // Each page is a transaction of its own, so that no lock is held for long.
  for (let page = 0; page < MAX_RESUME_PAGES; page++) {
    const resumed = await resumePage(db, webhookId, 'delivery.next_attempt_at > now()');
    outboxEntries.push(...resumed);
    if (resumed.length < RESUME_PAGE) return { outboxEntries, more: false };
  }
  return { outboxEntries, more: true };
}

/**
 * Deliveries that are due or in flight are left alone, and so are locked rows, which are being recorded. Those that wait
 * for another one of their key become due when it ends.
 */
async function resumePage(db: Db, webhookId: string, which: string): Promise<OutboxEntry[]> {
  const { rows } = await db.raw<{ rows: { id: string; dispatch: number }[] }>(
    `WITH resumed AS (
       UPDATE delivery SET next_attempt_at = now(), dispatched_at = now(), dispatch = delivery.dispatch + 1, lane = 'again'
       FROM (
         SELECT id FROM delivery
         WHERE definition_id = ? AND status = 'PENDING' AND callback_url IS NULL AND ${which} AND waits_behind IS NULL
         ORDER BY definition_id, next_attempt_at, id LIMIT ${RESUME_PAGE} FOR NO KEY UPDATE SKIP LOCKED) AS waiting
       WHERE delivery.id = waiting.id
       RETURNING delivery.id, delivery.dispatch, delivery.created_at)
     SELECT id, dispatch FROM resumed ORDER BY created_at, id`,
    [webhookId],
  );
  return redeliveries(rows);
}

// Deliveries that were collected while their definition was disabled

/** Definitions of which one pass releases deliveries, and after how many deliveries it ends. */
const MAX_RELEASING = 100;
const ENOUGH_RELEASED = 20_000;

/**
 * Makes deliveries due that a definition collected before it was enabled again, oldest first. They are in the queue of
 * retries, so that they do not delay new events.
 * @returns what to enqueue; what is left is released by releaseAllCollected
 */
export function releaseCollected(db: Db, webhookId: string): Promise<OutboxEntry[]> {
  return resumePage(db, webhookId, isCollected('delivery'));
}

/** Does the same for all definitions that were enabled again, page by page, so that none waits for the backlog of another. */
export async function releaseAllCollected(db: Db): Promise<OutboxEntry[]> {
  const outboxEntries: OutboxEntry[] = [];
  const { rows } = await db.raw<{ rows: { id: string }[] }>(RELEASING);
  for (let left = rows; left.length > 0 && outboxEntries.length < ENOUGH_RELEASED; ) {
    const more: typeof rows = [];
    for (const definition of left) {
      const released = await releaseCollected(db, definition.id);
      outboxEntries.push(...released);
      if (released.length === RESUME_PAGE) more.push(definition);
    }
    left = more;
  }
  return outboxEntries;
}

/** Whether a `definition` has deliveries that it collected: the last ones in the order of delivery_endpoint_ix. */
const HAS_COLLECTED = `coalesce((
  SELECT true FROM delivery
  WHERE delivery.definition_id = definition.id AND delivery.status = 'PENDING' AND delivery.callback_url IS NULL
    AND ${isCollected('delivery')}
  ORDER BY delivery.definition_id, delivery.next_attempt_at, delivery.id LIMIT 1), false)`;

/** A range, which Postgres takes for few rows without statistics: so it uses the index. */
const RELEASING = `
  SELECT id FROM webhook_definition AS definition
  WHERE releases_until > '-infinity' AND releases_until < 'infinity' AND status = 'ACTIVE' AND ${HAS_COLLECTED}
  ORDER BY id LIMIT ${MAX_RELEASING}`;

/** Ends the collecting of definitions whose time is over, and the search for what they have collected. */
export async function endCollecting(db: Db): Promise<void> {
  await db.raw(
    `UPDATE webhook_definition SET collects_until = NULL
     WHERE collects_until > '-infinity' AND collects_until <= now()`,
  );
  await db.raw(
    `UPDATE webhook_definition AS definition SET releases_until = NULL
     WHERE releases_until > '-infinity' AND releases_until <= now() AND NOT ${HAS_COLLECTED}`,
  );
}

function disabled(): DomainError {
  return new DomainError('conflict', 'WEBHOOK_DISABLED', 'the webhook definition is disabled; enable it first');
}

/** Continues a fan-out that was stopped because it ended its process. It stays suspect. */
async function resumeFanOut(trx: Knex.Transaction, eventId: string): Promise<OutboxEntry[]> {
  const resumed = await trx('event')
    .where({ id: eventId })
    .whereNotNull('fan_out_error')
    .update({
      fan_out_error: null,
      fan_out_deaths: 0,
      fanned_out_at: null,
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.fn.now(),
    })
    .returning(['id', 'account_id', 'dispatch', 'fan_out_deaths']);
  return resumed.map(fanOutEntry);
}

async function replayFailed(trx: Knex.Transaction, eventId: string): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `UPDATE delivery SET ${BEGIN_ROUND}
     WHERE event_id = ? AND ${ANY_DESTINATION} AND status IN ('DEAD', 'CANCELLED') AND (
       definition_id IS NULL
       OR EXISTS (SELECT 1 FROM webhook_definition AS one WHERE one.id = definition_id AND one.status = 'ACTIVE'))
     RETURNING id, dispatch`,
    [eventId],
  );
  return redeliveries(result.rows);
}

/** Only deliveries whose next attempt is in the future are moved: others are in flight or about to be attempted. */
async function attemptNow(trx: Knex.Transaction, eventId: string, definitionId: string): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `UPDATE delivery SET next_attempt_at = now(), dispatched_at = now(), dispatch = dispatch + 1, lane = 'again'
     WHERE event_id = ? AND definition_id = ? AND callback_url IS NULL AND status = 'PENDING' AND next_attempt_at > now()
     RETURNING id, dispatch`,
    [eventId, definitionId],
  );
  return redeliveries(result.rows);
}

async function deliverAgain(trx: Knex.Transaction, eventId: string, definitionId: string): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `INSERT INTO delivery (event_id, definition_id, site_id, lane, order_key, order_no)
     SELECT event.id, definition.id, event.site_id, 'again', ${orderOf('definition', 'event')}
     FROM event, webhook_definition AS definition WHERE event.id = ? AND definition.id = ?
     ON CONFLICT (event_id, definition_id) WHERE callback_url IS NULL
     DO UPDATE SET ${BEGIN_ROUND}
     WHERE delivery.status <> 'PENDING'
     RETURNING id, dispatch`,
    [eventId, definitionId],
  );
  return redeliveries(result.rows);
}

function redeliveries(rows: readonly { readonly id: string; readonly dispatch: number }[]): OutboxEntry[] {
  return rows.map(({ id, dispatch }) => ({ queue: 'redeliver', payload: { deliveryId: id, dispatch } }));
}

/** What became of an event for a definition. IGNORED: it has no delivery, because the definition was disabled or is newer. */
type Replayable = 'FAILED' | 'IGNORED' | 'CANCELLED' | 'DELIVERED';

/** Selects events of one definition, of which a replay delivers each again. */
interface ReplayRange {
  readonly webhookId: string;
  /** ISO 8601: only what was created at or after this time. */
  readonly since: string;
  /** ISO 8601: only what was created before this time; null: no limit. */
  readonly until: string | null;
  readonly outcomes: readonly Replayable[];
  /** Only events with this name. */
  readonly event?: string | undefined;
  readonly orderNumber?: string | undefined;
  /** Only what had ended by then: deliveries that fail again while the replay runs are not replayed again. */
  readonly endedBy: Date | null;
}

const STORED = { FAILED: 'DEAD', CANCELLED: 'CANCELLED', DELIVERED: 'DELIVERED' } as const;

/** The filters of the event itself. */
function ofEvent({ event, orderNumber }: ReplayRange): string {
  return `${event === undefined ? '' : ' AND event.event = :event'}${
    orderNumber === undefined ? '' : ' AND event.order_number = :orderNumber'
  }`;
}

/** Deliveries of the range that have ended. */
function endedIn(range: ReplayRange): string {
  const filters = ofEvent(range);
  return `definition_id = :webhookId AND status = ANY (:statuses::text[]) AND callback_url IS NULL
    AND created_at >= :since::timestamptz AND created_at < coalesce(:until::timestamptz, 'infinity')
    AND completed_at < coalesce(:endedBy::timestamptz, 'infinity')${
      filters === '' ? '' : ` AND EXISTS (SELECT FROM event WHERE event.id = delivery.event_id${filters})`
    }`;
}

/** Events of the range to which the definition would subscribe, and that have no delivery to it. */
function ignoredIn(range: ReplayRange): string {
  return `FROM webhook_definition AS definition JOIN event
      ON event.site_id = definition.site_id AND event.source = definition.source
    WHERE definition.id = :webhookId AND event.fanned_out_at IS NOT NULL AND event.triggered_at < coalesce(:endedBy::timestamptz, 'infinity')
      AND event.triggered_at >= :since::timestamptz AND event.triggered_at < coalesce(:until::timestamptz, 'infinity')
      AND (definition.channel IS NULL OR definition.channel = event.channel)
      AND (event.event = ANY (:names::text[]) OR :isEvery) AND event.event <> ALL (:owners::text[])${ofEvent(range)}
      AND ${passes('definition.filter', 'webhook_payload(event.payload)')}
      AND NOT EXISTS (SELECT FROM delivery
        WHERE delivery.event_id = event.id AND delivery.definition_id = :webhookId AND delivery.callback_url IS NULL)`;
}

/** Events that only the owner of a definition gets. No definition subscribes to them. */
const OF_OWNERS = EVENT_TYPES.filter(({ audience }) => audience === 'owner').map(({ name }) => name);

interface RangeBindings extends Record<string, Knex.Value> {
  readonly isOrdered: boolean;
}

async function bindingsOf(db: Db, range: ReplayRange): Promise<RangeBindings> {
  const { webhookId, since, until, outcomes, event, orderNumber, endedBy } = range;
  const definition = await db('webhook_definition').where({ id: webhookId }).first('events', 'ordering');
  const events: string[] = definition?.events ?? [];
  return {
    webhookId,
    since,
    until,
    isOrdered: definition?.ordering === 'key',
    endedBy: endedBy === null ? null : pastInstant(endedBy),
    statuses: outcomes.flatMap((outcome) => (outcome === 'IGNORED' ? [] : [STORED[outcome]])),
    event: event === undefined ? null : canonicalEventName(event),
    orderNumber: orderNumber ?? null,
    names: events.map(canonicalEventName),
    isEvery: events.includes(EVERY_EVENT),
    owners: OF_OWNERS,
  };
}

/** Counts the deliveries that a replay of the range would enqueue. */
export async function countInRange(db: Db, range: ReplayRange): Promise<number> {
  const bindings = await bindingsOf(db, range);
  const count = async (from: string): Promise<number> => {
    const { rows } = await db.raw<{ rows: { total: number }[] }>(`SELECT count(*)::integer AS total ${from}`, bindings);
    return rows[0]?.total ?? 0;
  };
  const ended = await count(`FROM delivery WHERE ${endedIn(range)}`);
  return range.outcomes.includes('IGNORED') ? ended + (await count(ignoredIn(range))) : ended;
}

/**
 * Replays at most `most` deliveries of the range, oldest first; unless the definition wants an order, first those that
 * exist, then those that were never created. What was replayed no longer belongs to the range.
 * @returns what to enqueue
 */
export async function replayRange(trx: Db, range: ReplayRange, most: number): Promise<OutboxEntry[]> {
  const bindings = await bindingsOf(trx, range);
  if (bindings.isOrdered) return replayInOrder(trx, range, { ...bindings, most });
  const { rows } = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `UPDATE delivery SET ${BEGIN_ROUND} FROM (
       SELECT id FROM delivery WHERE ${endedIn(range)} ORDER BY created_at, id LIMIT :most FOR UPDATE) AS due
     WHERE delivery.id = due.id RETURNING delivery.id, delivery.dispatch`,
    { ...bindings, most },
  );
  const left = most - rows.length;
  if (left === 0 || !range.outcomes.includes('IGNORED')) return redeliveries(rows);
  const made = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `INSERT INTO delivery (event_id, definition_id, site_id, lane)
     SELECT event.id, definition.id, event.site_id, 'again' ${ignoredIn(range)}
     ORDER BY event.triggered_at, event.id LIMIT :left
     ON CONFLICT DO NOTHING RETURNING id, dispatch`,
    { ...bindings, left },
  );
  return redeliveries([...rows, ...made.rows]);
}

/** What is replayed later, in another page, must not belong before what this page replays. */
async function replayInOrder(
  trx: Db,
  range: ReplayRange,
  bindings: Record<string, Knex.Value>,
): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `WITH ended AS MATERIALIZED (
       SELECT id, event_id, created_at AS at, order_no FROM delivery WHERE ${endedIn(range)}
       ORDER BY created_at, order_no, id LIMIT :most
     ), missing AS MATERIALIZED (
       SELECT NULL::text AS id, event.id AS event_id, event.triggered_at AS at, event.order_no ${ignoredIn(range)}
         AND :withMissing::boolean
       ORDER BY event.triggered_at, event.order_no, event.id LIMIT :most
     ), picked AS MATERIALIZED (
       SELECT * FROM ended UNION ALL SELECT * FROM missing ORDER BY at, order_no, event_id LIMIT :most
     ), again AS (
       UPDATE delivery SET ${BEGIN_ROUND} FROM picked WHERE delivery.id = picked.id AND delivery.status <> 'PENDING'
       RETURNING delivery.id, delivery.dispatch
     ), made AS (
       INSERT INTO delivery (event_id, definition_id, site_id, lane, order_key, order_no)
       SELECT event.id, definition.id, event.site_id, 'again', ${orderOf('definition', 'event')}
       FROM picked JOIN event ON event.id = picked.event_id
       JOIN webhook_definition AS definition ON definition.id = :webhookId
       WHERE picked.id IS NULL
       ON CONFLICT DO NOTHING RETURNING id, dispatch
     )
     SELECT * FROM again UNION ALL SELECT * FROM made`,
    { ...bindings, withMissing: range.outcomes.includes('IGNORED') },
  );
  return redeliveries(rows);
}
