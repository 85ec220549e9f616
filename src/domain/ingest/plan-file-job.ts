/** PLAN of a file: one streaming pass that checks it as a whole, and its chunks recorded in one transaction. */
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import type { Job } from '../../../db/models/job.js';
import type { FileStore, PendingFile } from '../../platform/file-store.js';
import type { Dispatch } from '../../queues/dispatch.js';
import { formatOf } from '../files/file-format.js';
import { dispatchStep } from '../jobs/advance-job.js';
import { lockJobStep } from '../jobs/begin-job.js';
import { openWindow } from '../jobs/chunk-window.js';
import { endJob } from '../jobs/end-job.js';
import type { JobOptions } from '../jobs/job-options.js';
import { isWholeJob } from '../jobs/whole-job.js';
import { type IngestKind, rowRange, workbookColumns } from './ingest-kind.js';
import { siteIsEmpty } from './items/stored-item.js';
import { loadKind } from './load-kind.js';
import { RejectedInput } from './rejected-input.js';
import { DEFAULT_LIMITS, planSource, type SourcePlan } from './source/plan-source.js';

/** Chunk rows a statement. */
const CHUNKS_PER_STATEMENT = 1_000;

export interface FileJobServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  /** Rows of a chunk, at most. */
  readonly chunkRows: number;
}

interface FilePlan extends SourcePlan {
  /** Index of the key's column; -1 for JSON. */
  readonly keyColumn: number;
}

export interface PlannedFile {
  /** What to enqueue. */
  readonly dispatches: Dispatch[];
  readonly isOneChunk: boolean;
  /** The job ended here: REJECTED. */
  readonly ended: boolean;
}

/** Key of a job's normalised copy in the file store. */
export function spoolKey(jobId: string): string {
  return `spools/${jobId}`;
}

/**
 * Plans a file's job that has begun.
 * @throws the signal's reason when it is aborted: nothing is recorded then
 */
export async function planFileJob(
  services: FileJobServices,
  job: Job,
  dispatch: number,
  definitionsVersion: number,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const { db } = services;
  const kind = await loadKind(db, job, definitionsVersion, null);
  let plan: FilePlan;
  try {
    plan = await readSource(services, job, kind, signal);
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return { dispatches: [], isOneChunk: false, ended: await reject(db, job.id, dispatch, error) };
  }
  const dispatches = await recordPlan(db, job, dispatch, plan, kind);
  return { dispatches, isOneChunk: plan.chunks.length === 1, ended: false };
}

async function readSource(
  { db, fileStore, chunkRows }: FileJobServices,
  job: Job,
  kind: IngestKind,
  signal: AbortSignal,
): Promise<FilePlan> {
  const file = await File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
  const key = file.storage_key;
  if (key === null) throw new Error(`file ${file.id} was never uploaded`);
  const options = job.options as unknown as JobOptions;
  let spool: PendingFile | undefined;
  let keyColumn = -1;
  try {
    const plan = await planSource({
      openUpload: () => fileStore.read(key),
      openRanges: async () => ({
        size: (await fileStore.size(key)) ?? 0,
        readRange: (start, end) => fileStore.readRange(key, start, end),
      }),
      createScratch: () => fileStore.createScratch(),
      createSpool: async () => {
        spool = await fileStore.create(spoolKey(job.id));
        return spool.stream;
      },
      openSpool: async () => {
        await spool?.commit();
        spool = undefined;
        return fileStore.read(spoolKey(job.id));
      },
      ...formatOf(file.name),
      options: { delimiter: options.delimiter, encoding: options.encoding, sheet: options.sheet },
      limits: { ...DEFAULT_LIMITS, chunkRows, ...kind.limits },
      resolveHeader: (cells) => {
        keyColumn = kind.readHeader(cells);
        return keyColumn;
      },
      workbookColumns: (cells) => workbookColumns(kind, cells),
      keyOf: (element) => kind.keyOf(element),
      keyField: kind.keyField ?? null,
      standing: kind.standing,
      normaliseKey: (text) => kind.normaliseKey(text),
      signal,
    });
    await spool?.commit();
    return { ...plan, keyColumn };
  } catch (error) {
    await spool?.discard();
    throw error;
  }
}

function recordPlan(db: Db, job: Job, dispatch: number, plan: FilePlan, kind: IngestKind): Promise<Dispatch[]> {
  return db.transaction(async (trx) => {
    if ((await lockJobStep(trx, job.id, 'plan', dispatch)) === undefined) return [];
    const { ordered } = kind;
    const whole = isWholeJob(job);
    const lastRow = lastRowOf(plan);
    const reserved = whole ? {} : await kind.reserve(trx, rowRange(plan.headerCells, lastRow));
    const siteWasEmpty = job.kind === 'item' && (await siteIsEmpty(trx, job.site_id));
    const chunks = plan.chunks.map((chunk, index) => ({
      idx: index,
      first_row: chunk.firstRow,
      row_count: chunk.rowCount,
      byte_start: chunk.byteStart,
      byte_end: chunk.byteEnd,
      duplicates: chunk.duplicates.length === 0 ? null : chunk.duplicates,
    }));
    for (let start = 0; start < chunks.length; start += CHUNKS_PER_STATEMENT) {
      await trx.raw(
        `INSERT INTO job_chunk (job_id, idx, first_row, row_count, byte_start, byte_end, duplicates)
         SELECT ?, idx, first_row, row_count, byte_start, byte_end, duplicates
         FROM jsonb_to_recordset(?::jsonb) AS chunk
           (idx integer, first_row integer, row_count integer, byte_start bigint, byte_end bigint, duplicates jsonb)`,
        [job.id, JSON.stringify(chunks.slice(start, start + CHUNKS_PER_STATEMENT))],
      );
    }
    const { source, bodyFormat, delimiter, headerCells, keyColumn } = plan;
    await trx('job')
      .where({ id: job.id })
      .update({
        plan: JSON.stringify({
          source,
          bodyFormat,
          delimiter,
          headerCells,
          keyColumn,
          siteWasEmpty,
          reserved,
          lastRow,
          ordered,
        }),
        total_count: plan.totalRows,
        step: 'apply',
        attempts: 0,
        dispatched_at: null,
        updated_at: trx.fn.now(),
      });
    return whole ? [await dispatchStep(trx, job.id, 'apply-all')] : openWindow(trx, { ...job, ordered });
  });
}

/** The highest row number: no row is beyond the last line of the last chunk. */
function lastRowOf({ chunks }: FilePlan): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.firstRow + last.lineCount - 1;
}

/** @returns whether the job was still ours to end */
function reject(db: Db, jobId: string, dispatch: number, error: RejectedInput): Promise<boolean> {
  return db.transaction(async (trx) => {
    if ((await lockJobStep(trx, jobId, 'plan', dispatch)) === undefined) return false;
    await endJob(trx, jobId, { status: 'REJECTED', reason: error.reason, statusMessage: error.message });
    return true;
  });
}
