/** APPLY of one chunk: read, validate, and in one transaction write the rows, their errors and that they are done. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import { JobChunk } from '../../../db/models/job-chunk.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { Dispatch } from '../../queues/outbox.js';
import { csvRows } from '../formats/csv/parse-csv-chunk.js';
import { jsonRows } from '../formats/json/parse-jsonl-chunk.js';
import { advanceJob } from '../jobs/advance-job.js';
import { refillWindow } from '../jobs/chunk-window.js';
import { HEARS_ITEMS } from './items/tell-of-items.js';
import { contextOf, recordChunk } from './pipeline/chunk-record.js';
import type { AppliedBefore, InputPlan, RowReaderName, SourceRows } from './pipeline/ingest-kind.js';
import { loadKind } from './pipeline/load-kind.js';
import { spoolKey } from './plan-file-job.js';

export interface ChunkPayload {
  readonly jobId: string;
  readonly chunk: number;
  readonly dispatch: number;
}

export interface ChunkServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly config: { readonly importReader: RowReaderName };
}

/** @returns what to enqueue once done; empty when the chunk is another's, or done already */
export async function applyJobChunk(
  { db, fileStore, config }: ChunkServices,
  payload: ChunkPayload,
): Promise<Dispatch[]> {
  const job = await Job.query(db).findById(payload.jobId).select('job.*', raw(HEARS_ITEMS));
  const chunk = await JobChunk.query(db).findById([payload.jobId, payload.chunk]);
  if (job === undefined || chunk === undefined || !isDue(job, chunk, payload)) return [];
  const plan = job.plan as unknown as InputPlan;
  const kind = await loadKind(db, job, job.definitions_version ?? 0, plan.headerCells);
  const rows = parseChunk(await readChunk(db, fileStore, job, chunk, plan), chunk, plan);
  const read = await kind.read(rows, { reader: config.importReader, before: appliedBefore(db, chunk, plan) });
  const { next, told } = await withRetries(db, async (trx) => {
    const current = await lockChunk(trx, payload);
    if (current === undefined) return { next: [], told: [] };
    const result = await kind.apply(trx, read, contextOf(current, plan, plan.reserved, true));
    await recordChunk(trx, current, result);
    const next = await refillWindow(trx, { ...job, ordered: plan.ordered || chunk.wave > 0 });
    return { next, told: result.dispatches ?? [] };
  });
  kind.done(read);
  return [...(next.length > 0 ? next : await advanceJob(db, job.id)), ...told];
}

/** Rows that waited for others are not looked for again, and in a site that was empty there are none. */
export function appliedBefore(
  db: Db,
  { wave, duplicates }: Pick<JobChunk, 'wave' | 'duplicates'>,
  { siteWasEmpty }: Pick<InputPlan, 'siteWasEmpty'>,
): AppliedBefore | undefined {
  return wave === 0 && !siteWasEmpty ? { db, duplicates: new Map(duplicates ?? []) } : undefined;
}

function isDue(job: Job, chunk: JobChunk, { dispatch }: ChunkPayload): boolean {
  return (
    job.status === 'IN_PROGRESS' && job.step === 'apply' && chunk.status === 'dispatched' && chunk.dispatch === dispatch
  );
}

/** The fence: of two workers that hold the same chunk, the second finds it done, or dispatched anew. */
async function lockChunk(trx: Knex.Transaction, payload: ChunkPayload): Promise<JobChunk | undefined> {
  const chunk = await JobChunk.query(trx).findById([payload.jobId, payload.chunk]).forNoKeyUpdate();
  const job = await Job.query(trx).findById(payload.jobId);
  return job !== undefined && chunk !== undefined && isDue(job, chunk, payload) ? chunk : undefined;
}

/** The bytes of a chunk. */
export async function readChunk(
  db: Db,
  fileStore: FileStore,
  job: Pick<Job, 'id' | 'input_file_id'>,
  chunk: Pick<JobChunk, 'byte_start' | 'byte_end'>,
  plan: InputPlan,
): Promise<Buffer> {
  const start = chunk.byte_start ?? 0;
  const end = chunk.byte_end ?? 0;
  if (plan.source === 'spool') return fileStore.readRange(spoolKey(job.id), start, end);
  const file = await File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
  return fileStore.readRange(file.storage_key ?? '', start, end);
}

/** The rows of a chunk as they stand in the input, each parsed when it is asked for. */
export function parseChunk(bytes: Buffer, chunk: Pick<JobChunk, 'first_row'>, plan: InputPlan): SourceRows {
  const firstRow = chunk.first_row;
  if (plan.bodyFormat === 'JSONL')
    return { format: 'JSON', rows: jsonRows(bytes, { firstRow }), source: { bytes, firstRow } };
  const headerCells = plan.headerCells ?? [];
  const delimiter = plan.delimiter ?? ',';
  return {
    format: 'CSV',
    rows: csvRows(bytes, { delimiter, columns: headerCells.length, firstRow, headerCells }),
    source: { bytes, delimiter, firstRow, headerCells },
  };
}
