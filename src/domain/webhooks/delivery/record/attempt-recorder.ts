/** Records the results of attempts in batches: the rows, the health of endpoints, and what follows from failures. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Db } from '../../../../../db/connection.js';
import { withRetries } from '../../../../../db/with-retries.js';
import { type Backoff, backoffMs } from '../../../../platform/backoff.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import type { Logger } from '../../../../platform/logger.js';
import type { OutboxEntry } from '../../../../queues/outbox.js';
import { InvariantViolation } from '../../../kernel/invariant.js';
import { type AttemptEnd, type Following, NOTHING_FOLLOWS } from '../attempt-end.js';
import type { DeliveryPolicy } from '../delivery-policy.js';
import type { Finished } from '../finished.js';
import { isHealthy } from '../health/endpoint-health.js';
import { recordHealth } from '../health/record-health.js';
import type { LoadedDelivery } from '../loaded-delivery.js';
import { releaseNext } from '../order/release-next.js';
import { checkRecords } from './check-records.js';
import { disableFailing, noticeFailing, notifyOfFailures } from './notify-owners.js';
import { type Recorded, recordAttempts } from './record-attempts.js';

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
async function notifyOwners(trx: Knex.Transaction, failed: readonly Finished[]): Promise<OutboxEntry[]> {
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
    following.push(...(await notifyOfFailures(trx, owner, finished.map(failedDeliveryOf))));
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
