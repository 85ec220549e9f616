/** The plan step of a file job: checks the file in one streaming pass, and records its chunks in one transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import type { FileStore, PendingFile } from '../../platform/file-store.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { formatOf } from '../formats/file-format.js';
import { planSource } from '../formats/plan-source.js';
import { DEFAULT_LIMITS, type SourcePlan } from '../formats/source-contract.js';
import { recordPlan } from '../jobs/apply-chunks.js';
import { endJob } from '../jobs/end-job.js';
import { lockPlanStep, type StepPayload } from '../jobs/job-steps.js';
import { RejectedInput } from '../kernel/rejected-input.js';
import type { ImportJob } from './import-jobs.js';
import type { ImportOptions } from './import-options.js';
import { type InputPlan, spoolKey } from './import-options.js';
import { siteIsEmpty } from './items/resolve/stored-item.js';
import { loadApplier } from './pipeline/load-applier.js';
import { type RowApplier, rowRange, workbookColumns } from './pipeline/row-applier.js';

interface FileJobServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  /** The maximum number of rows in a chunk. */
  readonly chunkRows: number;
}

interface FilePlan extends SourcePlan {
  /** Index of the key column; -1 for JSON. */
  readonly keyColumn: number;
}

interface PlannedFile {
  /** What to enqueue. */
  readonly outboxEntries: OutboxEntry[];
  readonly isOneChunk: boolean;
  /** Whether the job ended here, as REJECTED. */
  readonly ended: boolean;
}

/**
 * Plans a file job that has begun.
 * @throws the signal's reason when it is aborted; nothing is recorded in that case
 */
export async function planFileJob(
  services: FileJobServices,
  job: ImportJob,
  dispatch: number,
  definitionsVersion: number,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const { db } = services;
  const applier = await loadApplier(db, job, definitionsVersion, null);
  let plan: FilePlan;
  try {
    plan = await readSource(services, job, applier, signal);
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return { outboxEntries: [], isOneChunk: false, ended: await reject(db, { jobId: job.id, dispatch }, error) };
  }
  const outboxEntries = await record(db, job, dispatch, plan, applier);
  return { outboxEntries, isOneChunk: plan.chunks.length === 1, ended: false };
}

async function readSource(
  { db, fileStore, chunkRows }: FileJobServices,
  job: ImportJob,
  applier: RowApplier,
  signal: AbortSignal,
): Promise<FilePlan> {
  const file = await File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
  const key = file.storage_key;
  if (key === null) throw new Error(`file ${file.id} was never uploaded`);
  const { delimiter, encoding, sheet }: Partial<ImportOptions> = job.options;
  let spool: PendingFile | undefined;
  let keyColumn = -1;
  try {
    const plan = await planSource({
      openUpload: () => fileStore.read(key),
      openRanges: async () => ({
        size: await fileStore.requireSize(key),
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
      options: { delimiter, encoding, sheet },
      limits: { ...DEFAULT_LIMITS, chunkRows, ...applier.limits },
      resolveHeader: (cells) => {
        keyColumn = applier.readHeader(cells);
        return keyColumn;
      },
      workbookColumns: (cells) => workbookColumns(applier, cells),
      keyOf: (element) => applier.keyOf(element),
      keyField: applier.keyField ?? null,
      winner: applier.winner,
      normaliseKey: (text) => applier.normaliseKey(text),
      signal,
    });
    await spool?.commit();
    return { ...plan, keyColumn };
  } catch (error) {
    await spool?.discard();
    throw error;
  }
}

function record(
  db: Db,
  job: ImportJob,
  dispatch: number,
  { chunks, totalRows, ...found }: FilePlan,
  applier: RowApplier,
): Promise<OutboxEntry[]> {
  return db.transaction(async (trx) => {
    if ((await lockPlanStep(trx, { jobId: job.id, dispatch })) === undefined) return [];
    const lastRow = lastRowOf(chunks);
    const { source, bodyFormat, delimiter, headerCells, keyColumn } = found;
    const plan: InputPlan = {
      source,
      bodyFormat,
      delimiter,
      headerCells,
      keyColumn,
      siteWasEmpty: job.kind === 'item' && (await siteIsEmpty(trx, job.site_id)),
      reserved: job.isAtomic ? {} : await applier.reserve(trx, rowRange(headerCells, lastRow)),
      lastRow,
      ordered: applier.ordered,
    };
    return recordPlan(trx, job, plan, { chunks, totalRows });
  });
}

/** The number of the last line of the last chunk, which no row number exceeds. */
function lastRowOf(chunks: FilePlan['chunks']): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.firstRow + last.lineCount - 1;
}

/** How long the bytes of a rejected file stay: long enough for somebody to look at what was sent. */
const KEEP_REJECTED = "interval '24 hours'";

async function expireInput(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx.raw(
    `UPDATE file SET expires_at = now() + ${KEEP_REJECTED} FROM job
     WHERE job.id = ? AND file.id = job.input_file_id AND file.status = 'UPLOADED'`,
    [jobId],
  );
}

/** @returns false when another worker has taken over the job */
function reject(db: Db, payload: StepPayload, error: RejectedInput): Promise<boolean> {
  return db.transaction(async (trx) => {
    if ((await lockPlanStep(trx, payload)) === undefined) return false;
    await endJob(trx, payload.jobId, { status: 'REJECTED', reason: error.reason, statusMessage: error.message });
    await expireInput(trx, payload.jobId);
    return true;
  });
}
