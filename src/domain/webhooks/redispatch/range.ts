/** Selects the events and deliveries of a time that are replayed to one definition. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { pastInstant } from '../../kernel/past-instant.js';
import { passes } from '../delivery-rows/delivery-sql.js';
import { EVERY_EVENT } from '../event-types/event-names.js';
import { canonicalEventName } from '../events/event-aliases.js';
import { EVENT_TYPES } from '../model/event-types.js';

/** What became of an event for a definition. IGNORED: it has no delivery, because the definition was disabled or is newer. */
type Replayable = 'FAILED' | 'IGNORED' | 'CANCELLED' | 'DELIVERED';

/** Selects events of one definition, of which a replay delivers each again. */
export interface ReplayRange {
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
export function endedIn(range: ReplayRange): string {
  const filters = ofEvent(range);
  return `definition_id = :webhookId AND status = ANY (:statuses::text[]) AND callback_url IS NULL
    AND created_at >= :since::timestamptz AND created_at < coalesce(:until::timestamptz, 'infinity')
    AND completed_at < coalesce(:endedBy::timestamptz, 'infinity')${
      filters === '' ? '' : ` AND EXISTS (SELECT FROM event WHERE event.id = delivery.event_id${filters})`
    }`;
}

/** Events of the range to which the definition would subscribe, and that have no delivery to it. */
export function ignoredIn(range: ReplayRange): string {
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

export async function bindingsOf(db: Db, range: ReplayRange): Promise<RangeBindings> {
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
