/** Records the results of attempts in batches: the rows, the health of endpoints, and what follows from failures. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../../../db/connection.js';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { Backoff } from '../../../platform/backoff.js';
import { backoffMs } from '../../../platform/backoff.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';
import type { Logger } from '../../../platform/logger.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { newId } from '../../kernel/identifier.js';
import { InvariantViolation } from '../../kernel/invariant.js';
import { disable } from '../definitions/cancel-pending.js';
import { batchEntries } from '../delivery-rows/delivery-batch.js';
import type { NewEvent } from '../events/new-event.js';
import { makeEvent } from '../events/new-event.js';
import { recordEvents } from '../events/record-events.js';
import { type FailingEndpoint, recordHealth } from './admit-delivery.js';
import { checkRecords } from './check-records.js';
import type { Finished } from './finished.js';
import type { DeliveryPolicy, Recorded } from './judge-attempt.js';
import { disabledFrom, isHealthy, recordAttempts } from './judge-attempt.js';
import type { LoadedDelivery } from './load-deliveries.js';
import { releaseNext } from './order-deliveries.js';

/** An outbox entry to be enqueued, and its delay. */
export interface Following {
  readonly entry: OutboxEntry;
  readonly delayMs: number;
}

/** How an attempt ends. */
export type AttemptEnd =
  /** The attempt is recorded, or is not needed any more. `following` is to be enqueued. */
  | { readonly kind: 'done'; readonly following: readonly Following[] }
  /** The delivery has to wait. This does not count as an attempt. */
  | { readonly kind: 'snooze'; readonly delayMs: number }
  /** The process stops before the result is known: another worker makes the attempt. This does not count as one. */
  | { readonly kind: 'handed-back' };

export const NOTHING_FOLLOWS: AttemptEnd = { kind: 'done', following: [] };

interface RecorderOptions {
  readonly db: Db;
  readonly policy: DeliveryPolicy;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Attempts that finish within this time are recorded by one statement. */
const LINGER_MS = 10;
const MAX_RECORDS = 500;
/** This many are recorded at once, without waiting for more. */
const ENOUGH_RECORDS = 150;
/** The pauses between tries while the database is out of reach. */
const RECORD_BACKOFF: Backoff = { firstMs: 50, longestMs: 2_000 };

const LONG_FAILURE = 'every delivery has failed for 5 days';
const GONE = 'the target answered 410 Gone';

/** @returns a function that records one result, and resolves when it is committed, however long that takes */
export function createAttemptRecorder(options: RecorderOptions): (finished: Finished) => Promise<AttemptEnd> {
  const { logger } = options;
  return createBatcher({
    lingerMs: LINGER_MS,
    enough: ENOUGH_RECORDS,
    maxItems: MAX_RECORDS,
    run: async (batch: readonly Finished[]) => {
      // A request must not be sent again only because its result was lost, so the result is kept until it is written.
      for (let failures = 1; ; failures++) {
        try {
          return await recordBatch(options, batch);
        } catch (error) {
          // Another try would find the same violation.
          if (error instanceof InvariantViolation) throw error;
          logger.warn(
            { err: error, count: batch.length },
            'could not record the results of webhook attempts; trying again',
          );
          await delay(backoffMs(RECORD_BACKOFF, failures));
        }
      }
    },
  });
}

async function recordBatch(options: RecorderOptions, batch: readonly Finished[]): Promise<AttemptEnd[]> {
  const { db, policy, now } = options;
  checkRecords(batch, policy.scheduleMs.length);
  const records = batch.map(({ record }) => record);
  const rated = batch.filter((finished) => affectsHealth(finished, now()));
  const ordered = batch.filter(({ delivery, record }) => delivery.orderKey !== null && record.status !== 'PENDING');
  const hasFollowUps = rated.length > 0 || ordered.length > 0 || batch.some(({ record }) => record.status === 'DEAD');
  // Most batches contain only successes. Recording them takes one statement, and no explicit transaction.
  if (!hasFollowUps) return followings(batch, await recordAttempts(db, records), []);
  return withRetries(db, async (trx) => {
    const recorded = await recordAttempts(trx, records);
    const failed = batch.filter(({ record }) => record.status === 'DEAD' && recorded.has(record.id));
    const failing = await recordHealth(trx, rated.flatMap(endpointAttempt), now(), policy);
    const gone = failed.flatMap(({ verdict, delivery }) => (verdict?.gone === true ? [ratedDefinition(delivery)] : []));
    const following: OutboxEntry[] = await notifyOwners(trx, failed);
    for (const id of [...new Set(gone)].sort()) {
      if (id !== null) following.push(...(await disableFailing(trx, id, GONE)));
    }
    for (const id of [...failing.tooLong].sort()) following.push(...(await disableFailing(trx, id, LONG_FAILURE)));
    for (const endpoint of failing.noticed) following.push(...(await noticeFailing(trx, endpoint)));
    if (ordered.length > 0)
      following.push(
        ...(await releaseNext(
          trx,
          ordered.map(({ record }) => record.id),
        )),
      );
    return followings(batch, recorded, following);
  });
}

/** The definition whose health an attempt affects; null for callbacks. */
function ratedDefinition({ callbackUrl, definitionId }: LoadedDelivery): string | null {
  return callbackUrl === null ? definitionId : null;
}

/** Whether the result changes the health of the endpoint. A success of a healthy one does not. */
function affectsHealth({ delivery, verdict }: Finished, now: number): boolean {
  if (verdict === null || ratedDefinition(delivery) === null) return false;
  return verdict.outcome !== 'delivered' || !isHealthy(delivery.health, now);
}

function endpointAttempt({ delivery, verdict }: Finished) {
  const definitionId = ratedDefinition(delivery);
  if (verdict === null || definitionId === null) return [];
  const first = delivery.attempts === delivery.roundStart;
  return [
    { definitionId, failed: verdict.outcome !== 'delivered', first, pauseMs: verdict.pauseMs, error: verdict.error },
  ];
}

/** Notifies callback URLs of deliveries that failed permanently. A callback that fails causes no further callback. */
async function notifyOwners(db: Db, failed: readonly Finished[]): Promise<OutboxEntry[]> {
  const byDefinition = new Map<string, Finished[]>();
  for (const finished of failed) {
    const { definition, callbackUrl } = finished.delivery;
    if (definition === null || callbackUrl !== null || definition.callback_url === null) continue;
    byDefinition.set(definition.id, [...(byDefinition.get(definition.id) ?? []), finished]);
  }
  const following: OutboxEntry[] = [];
  for (const [id, finished] of byDefinition) {
    const [first] = finished;
    if (first?.delivery.definition == null) continue;
    const { event, definition } = first.delivery;
    const { site_id, account_id, source } = event;
    const owner = { id, site_id, account_id, source, target: definition.target, callback_url: definition.callback_url };
    following.push(...(await notifyOfFailures(db, owner, finished.map(failedDeliveryOf))));
  }
  return following;
}

function failedDeliveryOf({ delivery: { id, event }, record: { made } }: Finished) {
  return {
    deliveryId: id,
    eventId: event.id,
    event: event.event,
    attempts: made?.attempt ?? 0,
    statusCode: made?.statusCode ?? null,
    error: made?.error ?? null,
  };
}

/** The end of each result of a batch. The entries of the batch as a whole are added to the first result. */
function followings(batch: readonly Finished[], recorded: Recorded, others: readonly OutboxEntry[]): AttemptEnd[] {
  return batch.map(({ record, delivery }, index): AttemptEnd => {
    const isOfAll = index === 0 && others.length > 0;
    const changed = recorded.size === 0 ? undefined : recorded.get(record.id);
    const waits = changed?.status === 'PENDING' && record.delayMs !== null;
    if (!isOfAll && !waits) return NOTHING_FOLLOWS;
    const following: Following[] = isOfAll ? others.map((entry) => ({ entry, delayMs: 0 })) : [];
    if (waits) {
      const payload = { deliveryId: delivery.id, dispatch: changed.dispatch };
      const queue = record.made === null ? 'deliver' : 'redeliver';
      following.push({ entry: { queue, payload }, delayMs: record.delayMs });
    }
    return { kind: 'done', following };
  });
}

// Permanent failures: the owner is notified, and an endpoint that has failed for too long is disabled

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
async function notifyOfFailures(
  trx: Db,
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
async function disableFailing(trx: Db, definitionId: string, reason: string): Promise<OutboxEntry[]> {
  const owner = await disable(trx, definitionId, reason);
  if (owner === undefined) return [];
  const payload = { webhookId: owner.id, target: owner.target, reason };
  const about = { source: owner.source, channel: owner.channel };
  return notifyAll(trx, owner, makeEvent('WEBHOOK_DISABLED', payload, about));
}

/** Notifies the same of a definition that will be disabled if it goes on failing. */
async function noticeFailing(
  trx: Db,
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
async function notifyAll(trx: Db, owner: DefinitionOwner, event: NewEvent): Promise<OutboxEntry[]> {
  const origin = { siteId: owner.site_id, accountId: owner.account_id };
  const { outboxEntries } = await recordEvents(trx, origin, [event.record]);
  return [...outboxEntries, ...(await notifyOwner(trx, owner, [event]))];
}

/**
 * Emits events to the callback URL of the owner alone. If others could subscribe to them, the failure of one subscriber
 * would cause an event whose delivery to another could fail too, without end.
 */
async function notifyOwner(trx: Db, owner: DefinitionOwner, events: readonly NewEvent[]): Promise<OutboxEntry[]> {
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
