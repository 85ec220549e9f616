/** Makes the deliveries of an event that many definitions hear, a page a transaction: each once, wherever it is cut off. */

import type { Db } from '../../../../db/connection.js';
import { Event } from '../../../../db/models/event.js';
import { withRetries } from '../../../../db/with-retries.js';
import { backoffMs, STEP_BACKOFF } from '../../../platform/backoff.js';
import type { Dispatch } from '../../../queues/outbox.js';
import { batchDispatches, batchedId } from '../delivery/delivery-batch.js';
import { SUBSCRIBES } from '../subscribers.js';
import { subscribableNames } from './event-names.js';
import { FAN_OUT_PAGE } from './record-events.js';

export interface FanOutPage {
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

/** Makes one page. Of two who hold the same dispatch one waits for the other and goes on behind it. */
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
