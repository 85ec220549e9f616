/** Delivers an event again. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { findDefinition } from './definitions.js';
import { ANY_DESTINATION, orderOf } from './delivery-rows/delivery-sql.js';
import { fanOutEntry } from './events/fan-out-entry.js';
import { admitNext, disabled } from './redispatch/admit-next.js';
import { BEGIN_ROUND, redeliveries } from './redispatch/round.js';

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
