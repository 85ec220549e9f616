/** Removes the items that were found missing, batch by batch, in the transaction of the caller, and records what they were like. */
import type { Knex } from 'knex';
import { besides } from '../../../../db/besides.js';
import type { Db } from '../../../../db/connection.js';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { type ItemChange, NO_CHANGES } from '../../changes/model/item-change.js';
import { recordChanges } from '../../changes/record-changes.js';
import { approvalOf } from '../../job-model/approval.js';
import { storable } from '../../kernel/characters.js';
import { imagesOf } from '../deletions/images-of-items.js';
import { removeItems, removeRecorded } from '../deletions/remove-items.js';
import { emitItemEvents, subscribersWait } from '../items/emit-item-events.js';
import type { ItemRules } from '../items/item-rules.js';
import type { ImportJob } from '../model/import-jobs.js';
import { changedBy } from '../pipeline/changed-by.js';
import { recordPreviewedRemovals } from './approved-removals.js';
import { changeItems } from './change-missing.js';
import { nextMissing } from './missing-items.js';
import type { ResolvedSnapshot } from './resolve-snapshot.js';

/** How many items are in memory at once, with all that they have. */
const BATCH = 2_000;

export type ItemJob = Extract<ImportJob, { kind: 'item' }>;

interface Removing {
  readonly db: Db;
  readonly job: ItemJob;
  readonly signal: AbortSignal;
}

/** What a snapshot is of. */
export function identityOf(job: ItemJob) {
  const { id: jobId, site_id: siteId, channel, type } = job;
  return { jobId, siteId, channel, content: type === 'BUNDLE_IMPORT' ? 'bundles' : 'items' } as const;
}

export interface RemovedItems {
  readonly removed: number;
  readonly kept: number;
  readonly why: string | null;
  readonly outboxEntries: readonly OutboxEntry[];
}

/** @param rules what items are changed by */
export async function removeAll(
  trx: Knex.Transaction,
  { db, job, signal }: Removing,
  rules: ItemRules,
  { values }: ResolvedSnapshot,
): Promise<RemovedItems> {
  const { site_id: siteId } = job;
  const isPreview = approvalOf(job.options)?.state === 'preview';
  const outboxEntries: OutboxEntry[] = [];
  let removed = 0;
  let kept = 0;
  let why: string | null = null;
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const skus = await nextMissing(trx, siteId, after, BATCH);
    const last = skus.at(-1);
    if (last === undefined) return { removed, kept, why, outboxEntries };
    after = last;
    const images = isPreview ? await imagesOf(trx, siteId, skus, new Map()) : [];
    const done =
      values === null
        ? await deleteItems(trx, job, skus)
        : await changeItems(trx, identityOf(job), rules, skus, values.attributes);
    kept += done.failed;
    if (done.firstFailed !== null) why ??= keeping(done.firstFailed);
    removed += done.skus.length;
    const gone = new Set(done.skus);
    const ownImages = images.filter(({ sku }) => gone.has(sku));
    await record(trx, db, job, done.changed, ownImages);
    if (job.isDryRun) continue;
    const event = values === null ? 'ITEM_DELETED' : 'ITEM_UPDATED';
    outboxEntries.push(...(await emitItemEvents(trx, job, [[event, done.skus]], done.changed)));
    await yieldToEventLoop();
  }
}

/** Why an item stays. */
export function keeping({ sku, message }: { readonly sku: string; readonly message: string }): string {
  return `"${storable(sku, 100)}": ${message}`;
}

/** What is recorded at once is not known here, where nobody needs it. */
async function deleteItems(trx: Knex.Transaction, job: ItemJob, skus: readonly string[]) {
  const needed = job.isDryRun || subscribersWait(job);
  const changed = needed ? await removeItems(trx, job.site_id, skus, new Map()) : [];
  if (!needed) await removeRecorded(trx, job, skus);
  return { changed, skus, failed: 0, firstFailed: null };
}

/** What a dry run would have removed is recorded beside its transaction, which is undone. */
async function record(
  trx: Knex.Transaction,
  db: Db,
  job: ItemJob,
  changed: readonly ItemChange[],
  images: readonly ItemChange[],
): Promise<void> {
  const changes = changedBy(job, { outcomes: [], failures: [], changes: { ...NO_CHANGES, changed } });
  if (!job.isDryRun) return recordChanges(trx, [changes]);
  await besides(db, async (other) => {
    await recordChanges(other, [changes]);
    if (approvalOf(job.options)?.state === 'preview') await recordPreviewedRemovals(other, job.id, images);
  });
}
