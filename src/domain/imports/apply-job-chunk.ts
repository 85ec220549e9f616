/** The apply step of one chunk: writes its rows, their errors and the end of the chunk in one transaction. */
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { advanceJob, type ChunkPayload, findDueChunk, finishChunk, lockDueChunk } from '../jobs/apply-chunks.js';
import { loadJob } from '../jobs/read-job.js';
import { IMPORT_JOBS } from './import-jobs.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import { contextOf } from './pipeline/apply-context.js';
import { loadApplier } from './pipeline/load-applier.js';
import type { RowReaderName } from './pipeline/row-applier.js';
import { appliedBefore, parseChunk, readChunk } from './pipeline/row-applier.js';

export interface ChunkServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly config: { readonly importReader: RowReaderName };
}

/** @returns what to enqueue afterwards; empty when another worker has the chunk, or when it is done */
export async function applyJobChunk(
  { db, fileStore, config }: ChunkServices,
  payload: ChunkPayload,
): Promise<OutboxEntry[]> {
  const job = await loadJob(db, IMPORT_JOBS, payload.jobId, HAS_ITEM_SUBSCRIBERS);
  if (job === undefined || job.plan === null) return [];
  const { plan } = job;
  const chunk = await findDueChunk(db, job, payload);
  if (chunk === undefined) return [];
  const applier = await loadApplier(db, job, job.definitions_version ?? 0, plan.headerCells);
  const rows = parseChunk(await readChunk(db, fileStore, job, chunk, plan), chunk, plan);
  const read = await applier.read(rows, { reader: config.importReader, before: appliedBefore(db, chunk, plan) });
  const { next, events } = await withRetries(db, async (trx) => {
    const current = await lockDueChunk(trx, payload);
    if (current === undefined) return { next: [], events: [] };
    const result = await applier.apply(trx, read, contextOf(current, plan, plan.reserved, true));
    return { next: await finishChunk(trx, job, current, result, plan), events: result.outboxEntries ?? [] };
  });
  applier.done(read);
  return [...(next.length > 0 ? next : await advanceJob(db, job.id)), ...events];
}
