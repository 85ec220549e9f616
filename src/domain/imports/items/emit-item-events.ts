/**
 * Emits events about the items that a job wrote, in the transaction that writes them, so that each applied row is
 * reported exactly once, and a row that is undone is not. Without subscribers, none of this runs.
 */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { namesOfChanged } from '../../catalog/items/changed-names.js';
import type { ItemChange } from '../../changes/model/item-change.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import { emitEvents } from '../../webhooks/emit-events.js';
import { subscribersOf } from '../../webhooks/subscribers.js';
import type { RowApplier } from '../rows/row-applier.js';

const EVENT_OF = [
  [OUTCOME.created, 'ITEM_CREATED'],
  [OUTCOME.updated, 'ITEM_UPDATED'],
  [OUTCOME.deleted, 'ITEM_DELETED'],
] as const;
type ItemEvent = (typeof EVENT_OF)[number][1];
const SUBSCRIBERS = subscribersOf(...EVENT_OF.map(([, event]) => event));

/** The limits of one event: its SKUs, their characters and those of names, which fit into the payload in any encoding. */
const MAX_SKUS = 500;
const MAX_SKU_CHARACTERS = 20_000;
const MAX_CHANGED_CHARACTERS = 20_000;

/** SQL: whether item events have subscribers. Selected by the statement that loads a job to be applied. */
export const HAS_ITEM_SUBSCRIBERS = `${SUBSCRIBERS.isAnySubscribed('job.site_id')} AS has_item_subscribers`;

/** A job that was selected with HAS_ITEM_SUBSCRIBERS; if it was selected without, it emits no events. */
type EmittingJob = Pick<LoadedJob, 'id' | 'type' | 'site_id' | 'account_id' | 'channel' | 'traceparent'> & {
  readonly has_item_subscribers?: unknown;
};

/** Whether anything is subscribed to what the job changes. */
export function subscribersWait(job: EmittingJob): boolean {
  return job.has_item_subscribers === true;
}

/**
 * Wraps an applier so that it also emits events, if they have subscribers.
 * @param skusOf the SKU of each row that was read, in order
 */
export function emittingItemEvents<Read>(
  applier: RowApplier<Read>,
  job: EmittingJob,
  skusOf: (read: Read) => readonly (string | undefined)[],
): RowApplier<Read> {
  if (!subscribersWait(job)) return applier;
  return {
    ...applier,
    // Events name their job.
    join: undefined,
    apply: async (trx, read, context) => {
      const result = await applier.apply(trx, read, context);
      const all = skusOf(read);
      const happened = EVENT_OF.map(([outcome, event]): [ItemEvent, string[]] => [
        event,
        all.flatMap((sku, index) => (sku !== undefined && result.outcomes[index] === outcome ? [sku] : [])),
      ]);
      const outboxEntries = await emitItemEvents(trx, job, happened, result.changes?.changed ?? []);
      if (outboxEntries.length === 0) return result;
      return { ...result, outboxEntries: [...(result.outboxEntries ?? []), ...outboxEntries] };
    },
  };
}

/** Emits events about items, if they have subscribers. @returns what to enqueue once the transaction has committed */
export async function emitItemEvents(
  trx: Knex.Transaction,
  job: EmittingJob,
  happened: readonly (readonly [event: ItemEvent, skus: readonly string[]])[],
  changes: readonly ItemChange[],
): Promise<OutboxEntry[]> {
  if (!subscribersWait(job)) return [];
  const { id: jobId, type, channel } = job;
  const origin = { siteId: job.site_id, accountId: job.account_id, traceparent: job.traceparent };
  const changed = await changedNames(trx, origin.siteId, changes);
  const events = happened.flatMap(([event, skus]) =>
    batches(skus).map((batch) => {
      const payload = { jobId, type, skus: batch };
      if (event === 'ITEM_CREATED') return SUBSCRIBERS.event(event, payload, { channel });
      const changesUrl = `/jobs/${jobId}/changes`;
      return SUBSCRIBERS.event(event, { ...payload, ...namesIn(batch, changed), changesUrl }, { channel });
    }),
  );
  return events.length === 0 ? [] : (await emitEvents(trx, origin, events)).outboxEntries;
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

/** SKU → the names of what changed of the item. */
async function changedNames(
  trx: Knex.Transaction,
  siteId: number,
  changes: readonly ItemChange[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = await namesOfChanged(trx, siteId, new Set(changes.flatMap(({ changed }) => Object.keys(changed))));
  const bySku = new Map<string, string[]>();
  for (const { sku, changed } of changes) {
    const own = Object.keys(changed).flatMap((key) => names.get(key) ?? []);
    bySku.set(sku, [...(bySku.get(sku) ?? []), ...own]);
  }
  return bySku;
}

interface ChangedNames {
  readonly changed: readonly string[];
  readonly changedTruncated?: true;
}

/** The names of what changed of items, sorted; as many as there is room for, and whether there are more. */
function namesIn(skus: readonly string[], bySku: ReadonlyMap<string, readonly string[]>): ChangedNames {
  const names = new Set(skus.flatMap((sku) => bySku.get(sku) ?? []));
  let characters = 0;
  const changed = [...names].sort().filter((name) => {
    characters += name.length;
    return characters <= MAX_CHANGED_CHARACTERS;
  });
  return changed.length === names.size ? { changed } : { changed, changedTruncated: true };
}
