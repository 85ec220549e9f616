/** What follows when a delivery is given up or an endpoint is: its owner is told, and nobody calls it any more. */
import type { Db } from '../../../../db/connection.js';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import type { Dispatch } from '../../../queues/outbox.js';
import { newId } from '../../kernel/identifier.js';
import { cancelPending } from '../definitions/cancel-pending.js';
import { makeEvent, type NewEvent } from '../events/new-event.js';
import { recordEvents } from '../events/record-events.js';
import { batchDispatches } from './delivery-batch.js';

/** A delivery that has had its last attempt. */
export interface GivenUp {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly event: string;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly error: string | null;
}

/** Whose definition it is, and where its owner wants to be told. */
export type Told = Pick<WebhookDefinition, 'id' | 'site_id' | 'account_id' | 'source' | 'target' | 'callback_url'>;

/** Tells a definition's callback URL of deliveries that were given up. In the transaction that gives them up. */
export async function tellOfGivenUp(trx: Db, told: Told, deliveries: readonly GivenUp[]): Promise<Dispatch[]> {
  const { id, target, source } = told;
  const events = deliveries.map(({ eventId, ...rest }) =>
    makeEvent('WEBHOOK_DELIVERY_FAILED', { webhookId: id, target, eventRequestId: eventId, ...rest }, { source }),
  );
  return tellOwner(trx, told, events);
}

/**
 * Disables a definition, cancels what waits for it, and tells those who hear WEBHOOK_DISABLED and its callback URL.
 * @returns what to enqueue once `trx` has committed; nothing when it was disabled before
 */
export async function disableFailing(trx: Db, definitionId: string, reason: string): Promise<Dispatch[]> {
  const [told]: (Told & Pick<WebhookDefinition, 'channel'>)[] = await trx('webhook_definition')
    .where({ id: definitionId, status: 'ACTIVE' })
    .update({ status: 'DISABLED', disabled_reason: reason, updated_at: trx.fn.now() })
    .returning(['id', 'site_id', 'account_id', 'source', 'target', 'callback_url', 'channel']);
  if (told === undefined) return [];
  await cancelPending(trx, definitionId);
  const payload = { webhookId: told.id, target: told.target, reason };
  const disabled = makeEvent('WEBHOOK_DISABLED', payload, { source: told.source, channel: told.channel });
  const origin = { siteId: told.site_id, accountId: told.account_id };
  const { dispatches } = await recordEvents(trx, origin, [disabled.record]);
  return [...dispatches, ...(await tellOwner(trx, told, [disabled]))];
}

/** An event for the owner alone: others who hear everything of the source would hear of each other's failures for ever. */
async function tellOwner(trx: Db, told: Told, events: readonly NewEvent[]): Promise<Dispatch[]> {
  if (told.callback_url === null) return [];
  const given = events.map(({ record: { event, source, payload } }) => ({ id: newId(), event, source, payload }));
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(TELL, {
    events: JSON.stringify(given),
    siteId: told.site_id,
    accountId: told.account_id,
    definitionId: told.id,
    callbackUrl: told.callback_url,
  });
  return batchDispatches(rows.map(({ id }) => id));
}

const TELL = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(:events::jsonb) AS given (id text, event text, source text, payload text)),
  made AS (
    INSERT INTO event (id, site_id, account_id, source, event, payload, fanned_out_at)
    SELECT id, :siteId, :accountId, source, event, payload, now() FROM given
  )
  INSERT INTO delivery (event_id, definition_id, callback_url, site_id)
  SELECT id, :definitionId, :callbackUrl, :siteId FROM given
  RETURNING id`;
