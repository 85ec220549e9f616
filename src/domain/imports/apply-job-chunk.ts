/** The apply step of one chunk: writes its rows, their errors and the end of the chunk in one transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { JobChunk } from '../../../db/models/job-chunk.js';
import type { FileStore } from '../../platform/file-store.js';
import type { Contention } from '../../platform/limits/contention.js';
import type { Metrics } from '../../platform/metrics.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { recordChanges } from '../changes/record-changes.js';
import { applyChunk, type ChunkWork } from '../jobs/apply-chunk.js';
import { countOutcomes } from '../outcomes/model/chunk-result.js';
import { countWaiting } from '../outcomes/model/passes.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import type { RowsOfJobs } from './made/rows-of-jobs.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import { ChunkSet, contextOf } from './pipeline/apply-context.js';
import { changedBy } from './pipeline/changed-by.js';
import { type ChunkSource, readChunkAndSource, sourceOfWaiting } from './pipeline/chunk-source.js';
import { appliedBefore, inputKey, parseChunk } from './pipeline/read-chunk.js';
import { quotingSource } from './pipeline/source-values.js';
import type { InputPlan } from './rows/input-plan.js';
import type { RowApplier, RowReaderName } from './rows/row-applier.js';

export interface ChunkServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly config: { readonly importReader: RowReaderName };
  readonly rowsOfJobs: Pick<RowsOfJobs, 'loadApplier'>;
  /** Counts the rows that were applied. */
  readonly metrics?: Pick<Metrics, 'rowsApplied'> | undefined;
  /** Notices the account. */
  readonly contention?: Pick<Contention, 'notice'>;
}

/** @returns what to enqueue afterwards; empty when another worker has the chunk, or when it is done */
export async function applyJobChunk(
  services: ChunkServices,
  payload: Parameters<typeof applyChunk>[2],
): Promise<OutboxEntry[]> {
  const { db, metrics } = services;
  let began = 0;
  const jobs = { types: IMPORT_JOBS, besides: HAS_ITEM_SUBSCRIBERS };
  const { outboxEntries, applied } = await applyChunk(db, jobs, payload, (job, plan, chunks) => {
    services.contention?.notice(job.account_id);
    began = performance.now();
    return readChunks(services, job, plan, chunks);
  });
  if (applied !== null) {
    const counts = countOutcomes(applied.outcomes);
    metrics?.rowsApplied(applied.job.kind, counts, (performance.now() - began) / 1000);
  }
  return outboxEntries;
}

/** Reads the rows of a chunk, and of those that the last pass applies together with it. @returns how they are applied */
async function readChunks(
  { db, fileStore, config, rowsOfJobs }: ChunkServices,
  job: ImportJob,
  plan: InputPlan,
  [chunk, ...following]: readonly [JobChunk, ...JobChunk[]],
): Promise<ChunkWork> {
  const version = job.definitions_version ?? 0;
  const applier = await rowsOfJobs.loadApplier(db, job, version, plan.headerCells);
  const key = await inputKey(db, job, plan);
  const sources = new Map<JobChunk, ChunkSource | null>();
  const read = async (one: JobChunk): Promise<unknown> => {
    const { bytes, source } = await readChunkAndSource(fileStore, key, one, plan);
    // Of chunks that are applied together only the rows that wait are kept.
    sources.set(one, following.length === 0 ? source : sourceOfWaiting(source, one.outcomes ?? ''));
    const rows = parseChunk(bytes, one, plan);
    return applier.read(rows, { reader: config.importReader, before: appliedBefore(db, one, plan) });
  };
  const own = await read(chunk);
  const set = following.length === 0 ? null : await gather(applier, [chunk, ...following], own, read);
  const applyRows = async (trx: Knex.Transaction, current: JobChunk) =>
    set === null
      ? [{ chunk, result: await applier.apply(trx, own, contextOf(current, plan, plan.reserved, true)) }]
      : set.apply(plan, plan.reserved, true, (rows, context) => applier.apply(trx, rows, context));
  return {
    apply: async (trx, current) => {
      const [first, ...others] = (await applyRows(trx, current)).map(({ chunk: one, result }) => ({
        chunk: one,
        result: quotingSource(sources.get(one) ?? null, job, plan, result),
      }));
      if (first === undefined) throw new Error('a set of chunks is empty');
      const { result } = first;
      await recordChanges(trx, [changedBy(job, result)]);
      return { result, others, outboxEntries: result.outboxEntries ?? [] };
    },
    done: () => {
      if (set === null) applier.done(own);
    },
  };
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
    set.add(chunk, rows, waiting);
  }
  return set;
}
