/** Has one event delivered again: where it failed, or to one definition whatever came of it before. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { Dispatch } from '../../../queues/dispatch.js';
import { DomainError } from '../../errors.js';
import { isId } from '../../identifier.js';
import { ANY_DESTINATION } from '../delivery-sql.js';
import { findDefinition } from '../find-definition.js';
import { BEGIN_ROUND } from './begin-round.js';

/**
 * Without a definition: every delivery that was given up or cancelled, but to definitions that are disabled or gone.
 * With one: to it, even if it was delivered, or if the definition is younger than the event. One that waits for its next
 * attempt has it now.
 * @returns what to enqueue, one a delivery
 * @throws DomainError not-found (event, definition), conflict (the definition is disabled)
 */
export function replayEvent(
  db: Db,
  siteId: number,
  { eventRequestId, webhookId }: { readonly eventRequestId: string; readonly webhookId?: string | undefined },
): Promise<Dispatch[]> {
  return withRetries(db, async (trx) => {
    const event = isId(eventRequestId)
      ? await trx('event').where({ id: eventRequestId, site_id: siteId }).first('id')
      : undefined;
    if (event === undefined) {
      throw new DomainError('not-found', 'EVENT_NOT_FOUND', 'No webhook event present for the given eventRequest Id');
    }
    if (webhookId === undefined) return replayFailed(trx, event.id);
    const definition = await findDefinition(trx, siteId, webhookId);
    if (definition.status !== 'ACTIVE') {
      throw new DomainError('conflict', 'WEBHOOK_DISABLED', 'the webhook definition is disabled; enable it first');
    }
    return [
      ...(await hurry(trx, event.id, definition.id)),
      ...(await deliverAgain(trx, event.id, definition.id, siteId)),
    ];
  });
}

async function replayFailed(trx: Knex.Transaction, eventId: string): Promise<Dispatch[]> {
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

/** An attempt under way, or about to be, is not overtaken. */
async function hurry(trx: Knex.Transaction, eventId: string, definitionId: string): Promise<Dispatch[]> {
  const result = await trx.raw(
    `UPDATE delivery SET next_attempt_at = now(), dispatched_at = now(), dispatch = dispatch + 1, lane = 'again'
     WHERE event_id = ? AND definition_id = ? AND callback_url IS NULL AND status = 'PENDING' AND next_attempt_at > now()
     RETURNING id, dispatch`,
    [eventId, definitionId],
  );
  return redeliveries(result.rows);
}

async function deliverAgain(
  trx: Knex.Transaction,
  eventId: string,
  definitionId: string,
  siteId: number,
): Promise<Dispatch[]> {
  const result = await trx.raw(
    `INSERT INTO delivery (event_id, definition_id, site_id, lane) VALUES (?, ?, ?, 'again')
     ON CONFLICT (event_id, definition_id) WHERE callback_url IS NULL
     DO UPDATE SET ${BEGIN_ROUND}
     WHERE delivery.status <> 'PENDING'
     RETURNING id, dispatch`,
    [eventId, definitionId, siteId],
  );
  return redeliveries(result.rows);
}

function redeliveries(rows: readonly { readonly id: string; readonly dispatch: number }[]): Dispatch[] {
  return rows.map(({ id, dispatch }) => ({ queue: 'redeliver', payload: { deliveryId: id, dispatch } }));
}
