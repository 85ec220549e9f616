/**
 * Tells of the items that a job wrote, by events of the very transaction that writes them: each applied row is told once,
 * and what is undone is told of by nobody. Where no definition listens, nothing of this runs.
 */

import type { OutboxEntry } from '../../../queues/outbox.js';
import { OUTCOME } from '../../jobs/chunk-result.js';
import type { LoadedJob } from '../../jobs/job-type.js';
import { emitEvents, type NewEvent } from '../../webhooks/emit-events.js';
import { subscribersOf } from '../../webhooks/subscribers.js';
import type { RowApplier } from '../pipeline/row-applier.js';

const EVENT_OF = [
  [OUTCOME.created, 'ITEM_CREATED'],
  [OUTCOME.updated, 'ITEM_UPDATED'],
  [OUTCOME.deleted, 'ITEM_DELETED'],
] as const;
const SUBSCRIBERS = subscribersOf(...EVENT_OF.map(([, event]) => event));

/** Of one event: at most so many SKUs, and as many characters of them as fit into its payload however they are encoded. */
const MAX_SKUS = 500;
const MAX_SKU_CHARACTERS = 40_000;

/** To be selected by the statement that loads a job to be applied: whether anybody listens. */
export const HAS_ITEM_SUBSCRIBERS = `${SUBSCRIBERS.isAnySubscribed('job.site_id')} AS has_item_subscribers`;

/** A job selected with HAS_ITEM_SUBSCRIBERS, or without: then nobody is told. */
type EmittingJob = Pick<LoadedJob, 'id' | 'type' | 'site_id' | 'account_id' | 'channel'> & {
  readonly has_item_subscribers?: unknown;
};

/** The same kind, which also tells of what it wrote, where anybody listens. @param skuOf what a row that was read is of */
export function emittingItemEvents<Row>(
  applier: RowApplier<Row[]>,
  job: EmittingJob,
  skuOf: (row: Row) => string | undefined,
): RowApplier<Row[]> {
  if (job.has_item_subscribers !== true) return applier;
  const { id: jobId, type, channel } = job;
  const origin = { siteId: job.site_id, accountId: job.account_id };
  return {
    ...applier,
    // Events name their job.
    joinKey: undefined,
    apply: async (trx, read, context) => {
      const result = await applier.apply(trx, read, context);
      const events: NewEvent[] = EVENT_OF.flatMap(([outcome, event]) => {
        const skus = read.flatMap((row, index) => (result.outcomes[index] === outcome ? (skuOf(row) ?? []) : []));
        return batches(skus).map((batch) => SUBSCRIBERS.event(event, { jobId, type, skus: batch }, { channel }));
      });
      if (events.length === 0) return result;
      const outboxEntries: OutboxEntry[] = (await emitEvents(trx, origin, events)).outboxEntries;
      return { ...result, outboxEntries };
    },
  };
}

function batches(skus: readonly string[]): string[][] {
  const all: string[][] = [];
  let characters = 0;
  for (const sku of skus) {
    const batch = all.at(-1);
    characters += sku.length;
    if (batch === undefined || batch.length === MAX_SKUS || characters > MAX_SKU_CHARACTERS) {
      all.push([sku]);
      characters = sku.length;
    } else {
      batch.push(sku);
    }
  }
  return all;
}
