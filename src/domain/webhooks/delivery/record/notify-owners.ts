/** Permanent failures: the owner is notified, and an endpoint that has failed for too long is disabled. */
import type { Knex } from 'knex';
import type { WebhookDefinition } from '../../../../../db/models/webhook-definition.js';
import type { OutboxEntry } from '../../../../queues/outbox.js';
import { newId } from '../../../kernel/identifier.js';
import { disable } from '../../definitions/cancel-pending.js';
import { batchEntries } from '../../delivery-rows/delivery-batch.js';
import { makeEvent, type NewEvent } from '../../events/new-event.js';
import { recordEvents } from '../../events/record-events.js';
import { disabledFrom } from '../health/endpoint-health.js';
import type { FailingEndpoint } from '../health/record-health.js';

/** A delivery whose last attempt failed. */
interface FailedDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly event: string;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly error: string | null;
}

/** The owner of a definition, and the callback URL for notifying the owner. */
type DefinitionOwner = Pick<WebhookDefinition, 'id' | 'site_id' | 'account_id' | 'source' | 'target' | 'callback_url'>;

/** Notifies the callback URL of a definition of failed deliveries, in the transaction that records their failure. */
export async function notifyOfFailures(
  trx: Knex.Transaction,
  owner: DefinitionOwner,
  deliveries: readonly FailedDelivery[],
): Promise<OutboxEntry[]> {
  const { id, target, source } = owner;
  const events = deliveries.map(({ eventId, ...rest }) =>
    makeEvent('WEBHOOK_DELIVERY_FAILED', { webhookId: id, target, eventRequestId: eventId, ...rest }, { source }),
  );
  return notifyOwner(trx, owner, events);
}

/**
 * Disables a definition, cancels its pending deliveries, and notifies subscribers of WEBHOOK_DISABLED and the callback
 * URL.
 * @returns what to enqueue once `trx` has committed; nothing when the definition was already disabled
 */
export async function disableFailing(
  trx: Knex.Transaction,
  definitionId: string,
  reason: string,
): Promise<OutboxEntry[]> {
  const owner = await disable(trx, definitionId, reason);
  if (owner === undefined) return [];
  const payload = { webhookId: owner.id, target: owner.target, reason };
  const about = { source: owner.source, channel: owner.channel };
  return notifyAll(trx, owner, makeEvent('WEBHOOK_DISABLED', payload, about));
}

/** Notifies the same of a definition that will be disabled if it goes on failing. */
export async function noticeFailing(
  trx: Knex.Transaction,
  { definitionId, failingSince, ...failing }: FailingEndpoint,
): Promise<OutboxEntry[]> {
  const owner: (DefinitionOwner & Pick<WebhookDefinition, 'channel'>) | undefined = await trx('webhook_definition')
    .where({ id: definitionId, status: 'ACTIVE' })
    .first('id', 'site_id', 'account_id', 'source', 'target', 'callback_url', 'channel');
  if (owner === undefined) return [];
  const payload = {
    webhookId: owner.id,
    target: owner.target,
    failingSince: new Date(failingSince).toISOString(),
    disableAt: disabledFrom(failingSince).toISOString(),
    ...failing,
  };
  const about = { source: owner.source, channel: owner.channel };
  return notifyAll(trx, owner, makeEvent('WEBHOOK_FAILING', payload, about));
}

/** Emits an event about a definition to all that subscribe to it, and to the callback URL of the definition. */
async function notifyAll(trx: Knex.Transaction, owner: DefinitionOwner, event: NewEvent): Promise<OutboxEntry[]> {
  const origin = { siteId: owner.site_id, accountId: owner.account_id };
  const { outboxEntries } = await recordEvents(trx, origin, [event.record]);
  return [...outboxEntries, ...(await notifyOwner(trx, owner, [event]))];
}

/**
 * Emits events to the callback URL of the owner alone. If others could subscribe to them, the failure of one subscriber
 * would cause an event whose delivery to another could fail too, without end.
 */
async function notifyOwner(
  trx: Knex.Transaction,
  owner: DefinitionOwner,
  events: readonly NewEvent[],
): Promise<OutboxEntry[]> {
  if (owner.callback_url === null) return [];
  const given = events.map(({ record: { event, source, payload } }) => ({ id: newId(), event, source, payload }));
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(NOTIFY, {
    events: JSON.stringify(given),
    siteId: owner.site_id,
    accountId: owner.account_id,
    definitionId: owner.id,
    callbackUrl: owner.callback_url,
  });
  return batchEntries(rows.map(({ id }) => ({ id, account: owner.account_id })));
}

const NOTIFY = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(:events::jsonb) AS given (id text, event text, source text, payload text)),
  made AS (
    INSERT INTO event (id, site_id, account_id, source, event, payload, fanned_out_at)
    SELECT id, :siteId, :accountId, source, event, payload, now() FROM given
  )
  INSERT INTO delivery (event_id, definition_id, callback_url, site_id)
  SELECT id, :definitionId, :callbackUrl, :siteId FROM given
  RETURNING id`;
