/** The apply step of one chunk: writes its rows, their errors and the end of the chunk in one transaction. */
import type { Db } from '../../../db/connection.js';
import type { JobChunk } from '../../../db/models/job-chunk.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { Contention } from '../../platform/limits/contention.js';
import type { Metrics } from '../../platform/metrics.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { recordChanges } from '../changes/record-changes.js';
import { advanceJob, finishChunk } from '../jobs/apply-chunks.js';
import { type ChunkPayload, findDueChunks, lockDueChunk } from '../jobs/due-chunks.js';
import { loadJob } from '../jobs/load-job.js';
import { countOutcomes } from '../jobs/model/chunk-result.js';
import { countWaiting } from '../jobs/model/passes.js';
import { loadApplier } from './appliers/load-applier.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import { changedBy } from './model/changed-by.js';
import { IMPORT_JOBS } from './model/import-jobs.js';
import type { RowApplier, RowReaderName } from './model/row-applier.js';
import { ChunkSet, contextOf } from './pipeline/apply-context.js';
import { appliedBefore, inputKey, parseChunk, readChunk } from './pipeline/read-chunk.js';
import { quotingSource } from './pipeline/source-values.js';

export interface ChunkServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly config: { readonly importReader: RowReaderName };
  /** Counts the rows that were applied. */
  readonly metrics?: Pick<Metrics, 'rowsApplied'> | undefined;
  /** Notices the account. */
  readonly contention?: Pick<Contention, 'notice'>;
}

/** @returns what to enqueue afterwards; empty when another worker has the chunk, or when it is done */
export async function applyJobChunk(
  { db, fileStore, config, metrics, contention }: ChunkServices,
  payload: ChunkPayload,
): Promise<OutboxEntry[]> {
  const job = await loadJob(db, IMPORT_JOBS, payload.jobId, HAS_ITEM_SUBSCRIBERS);
  if (job === undefined || job.plan === null) return [];
  contention?.notice(job.account_id);
  const began = performance.now();
  const { plan } = job;
  const [chunk, ...following] = await findDueChunks(db, job, payload);
  if (chunk === undefined) return [];
  const applier = await loadApplier(db, job, job.definitions_version ?? 0, plan.headerCells);
  const key = await inputKey(db, job, plan);
  const read = async (one: JobChunk): Promise<unknown> => {
    const rows = parseChunk(await readChunk(fileStore, key, one), one, plan);
    return applier.read(rows, { reader: config.importReader, before: appliedBefore(db, one, plan) });
  };
  const own = await read(chunk);
  const set = following.length === 0 ? null : await gather(applier, [chunk, ...following], own, read);
  const { next, events, outcomes } = await withRetries(db, async (trx) => {
    const current = await lockDueChunk(trx, payload);
    if (current === undefined) return { next: [], events: [], outcomes: null };
    const applied =
      set === null
        ? [{ chunk, result: await applier.apply(trx, own, contextOf(current, plan, plan.reserved, true)) }]
        : await set.apply(plan, plan.reserved, true, (rows, context) => applier.apply(trx, rows, context));
    const [first, ...others] = await Promise.all(
      applied.map(async ({ chunk: one, result }) => ({
        chunk: one,
        result: await quotingSource({ fileStore, key }, job, plan, one, result),
      })),
    );
    if (first === undefined) throw new Error('a set of chunks is empty');
    await recordChanges(trx, [changedBy(job, first.result)]);
    return {
      next: await finishChunk(trx, job, current, first.result, plan, others),
      events: first.result.outboxEntries ?? [],
      outcomes: applied.flatMap(({ result }) => result.outcomes),
    };
  });
  if (outcomes !== null) metrics?.rowsApplied(job.kind, countOutcomes(outcomes), (performance.now() - began) / 1000);
  if (set === null) applier.done(own);
  return [...(next.length > 0 ? next : await advanceJob(db, job.id)), ...events];
}

/** Reads the chunks that the last pass takes as one set, beginning with the first of them. */
async function gather(
  applier: RowApplier,
  chunks: readonly JobChunk[],
  own: unknown,
  read: (chunk: JobChunk) => Promise<unknown>,
): Promise<ChunkSet<JobChunk>> {
  const set = new ChunkSet<JobChunk>(applier);
  for (const chunk of chunks) {
    const waiting = countWaiting(chunk.outcomes ?? '');
    if (!set.hasRoom(waiting)) break;
    const rows = set.chunks.length === 0 ? own : await read(chunk);
    if (!set.takes(rows)) break;
    set.add(chunk, rows, waiting);
  }
  return set;
}
