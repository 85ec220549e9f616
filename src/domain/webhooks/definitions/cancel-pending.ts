/** Disables definitions, and cancels the deliveries of those that were disabled or deleted. */
import type { Knex } from 'knex';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { isCollected } from '../delivery-rows/delivery-sql.js';

/**
 * Cancels the pending deliveries to the target of a definition; those to its callback URL are still made. An
 * attempt that is in flight no longer changes its delivery.
 * @param keepsCollected leaves those alone that were collected while the definition was disabled
 */
export async function cancelPending(
  trx: Knex.Transaction,
  definitionId: string,
  keepsCollected = false,
): Promise<void> {
  const pending = trx('delivery')
    .where({ definition_id: definitionId, status: 'PENDING' })
    .whereNull('callback_url')
    .update({
      status: 'CANCELLED',
      next_attempt_at: null,
      completed_at: trx.fn.now(),
      dispatch: trx.raw('dispatch + 1'),
    });
  await (keepsCollected ? pending.whereRaw(`NOT ${isCollected('delivery')}`) : pending);
}

/**
 * Disables a definition and cancels its pending deliveries. From now on it collects events, for as long as it can.
 * @returns undefined when it was disabled already
 */
export async function disable(
  trx: Knex.Transaction,
  definitionId: string,
  reason: string,
): Promise<WebhookDefinition | undefined> {
  const [definition] = await WebhookDefinition.query(trx)
    .where({ id: definitionId, status: 'ACTIVE' })
    .patch({
      status: 'DISABLED',
      disabled_reason: reason,
      disabled_at: trx.fn.now(),
      collects_until: collectsUntil(trx, 'now()'),
      releases_until: null,
      updated_at: trx.fn.now(),
    })
    .returning('*');
  // If an earlier time of collecting has just ended, some of what it has collected may still be there.
  if (definition !== undefined) await cancelPending(trx, definitionId, definition.collect_hours > 0);
  return definition;
}

/** The SQL expression for `collects_until`. @param disabledAt when the definition was disabled */
function collectsUntil(trx: Knex.Transaction, disabledAt: string) {
  return trx.raw(`CASE WHEN collect_hours > 0 THEN ${disabledAt} + collect_hours * interval '1 hour' END`);
}

/** Applies changed hours to a disabled definition, from when it was disabled. Without hours, it keeps nothing. */
export async function collectAnew(trx: Knex.Transaction, { id }: Pick<WebhookDefinition, 'id'>): Promise<void> {
  const [changed] = await WebhookDefinition.query(trx)
    .where({ id, status: 'DISABLED' })
    .patch({ collects_until: collectsUntil(trx, 'disabled_at') })
    .returning('*');
  if (changed?.collect_hours === 0) await cancelPending(trx, id);
}
