/** Creates the deliveries of an event with many subscribers, page by page. */
import type { Db } from '../../../db/connection.js';
import { Event } from '../../../db/models/event.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { batchEntries } from './delivery-rows/delivery-batch.js';
import { subscribableNames } from './events/event-aliases.js';
import type { FanOutStep } from './events/fan-out-entry.js';
import { FAN_OUT_PAGE, PAGE } from './events/fan-out-statement.js';

interface FanOutPage {
  /** What to enqueue now that the page is committed. */
  readonly outboxEntries: OutboxEntry[];
  /** Whether there may be more pages for this fencing token. */
  readonly more: boolean;
}

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
