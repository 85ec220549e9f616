/**
 * The apply step of an atomic file job: it applies all chunks in one transaction and then commits or undoes all of
 * them. It uses the reader and the writer of every other job, so that it reports the same errors as they do.
 */
import type { Knex } from 'knex';
import { besides } from '../../../db/besides.js';
import type { Db } from '../../../db/connection.js';
import type { JobChunk } from '../../../db/models/job-chunk.js';
import { yieldToEventLoop } from '../../platform/time-slice.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { definitionChangesOf, recordDefinitionPreview } from '../changes/definition-changes.js';
import { forgetPreview, recordChanges } from '../changes/record-changes.js';
import { recordSurroundingPreview, surroundingChangesBy } from '../changes/surrounding-changes.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { applyWhole, type WholeEnd, type WholeWork } from '../jobs/apply-whole.js';
import { countWaiting, nextPass, passOf } from '../outcomes/model/passes.js';
import type { ChunkServices } from './apply-job-chunk.js';
import { isRejectedPreview, previewOf } from './approval/end-of-preview.js';
import { forgetPreviewRows, recordPreviewRows } from './approval/preview-rows.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import type { ArchiveServices, RowsOfJobs } from './made/rows-of-jobs.js';
import { missingOf, recordCreation } from './missing/create-definitions.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import { ChunkSet, contextOf } from './pipeline/apply-context.js';
import { changedBy } from './pipeline/changed-by.js';
import { type ChunkSource, sourceOfWaiting } from './pipeline/chunk-source.js';
import { orRefusal } from './pipeline/or-refusal.js';
import { type ChunksToRead, readAhead } from './pipeline/read-ahead.js';
import { inputKey } from './pipeline/read-chunk.js';
import { ROWS_FAILED } from './pipeline/row-ends.js';
import { quotingSource } from './pipeline/source-values.js';
import type { InputPlan } from './rows/input-plan.js';
import { type AppliedRows, type RowApplier, rowRange } from './rows/row-applier.js';
import { noteOf, removeAfterRows } from './snapshots/remove-after-rows.js';
import { removeMissing } from './snapshots/remove-missing.js';

interface AtomicServices extends ChunkServices {
  readonly rowsOfJobs: RowsOfJobs;
  readonly config: ChunkServices['config'] & ArchiveServices['config'];
}

interface AtomicJob extends ChunksToRead {
  readonly chunks: Parameters<WholeWork>[1];
  readonly signal: AbortSignal;
}

/** A chunk in the pass that applies it. */
type CurrentChunk = Pick<
  JobChunk,
  'job_id' | 'idx' | 'first_row' | 'duplicates' | 'wave' | 'outcomes' | 'row_count' | 'warnings'
> & { readonly source: ChunkSource | null };

/** After the definitions that the job creates. */
const BEFORE_ROWS = 'before_rows';
const NO_ROWS = { created: 0, updated: 0, unchanged: 0 };
/** SQLSTATEs of errors that a single row can cause: data exceptions, program limits, and unique violations. */
const REFUSED_ROW = /^(22|54|23505)/;

/**
 * Applies all rows of a job whose plan is recorded; of a job whose rows are applied chunk by chunk, what follows the last
 * chunk. Row failures, outcomes and counts are recorded outside of the transaction: they show progress while it runs, and
 * they remain when it is undone.
 * @returns what to enqueue afterwards; empty when another worker has the job, or when it was cancelled or is done
 * @throws the signal's reason when it is aborted; nothing is written in that case
 */
export async function applyAtomicJob(
  services: AtomicServices,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<OutboxEntry[]> {
  const { db, metrics } = services;
  const jobs = { types: IMPORT_JOBS, besides: HAS_ITEM_SUBSCRIBERS };
  let began = 0;
  const { outboxEntries, applied } = await applyWhole(db, jobs, payload, async (job, plan) => {
    began = performance.now();
    if (job.isAtomic) return prepareRows(services, job, plan, signal);
    return job.kind === 'item' ? (trx) => removeAfterRows(trx, db, job, signal) : null;
  });
  if (applied !== null) {
    metrics?.rowsApplied(applied.job.kind, applied.counts, (performance.now() - began) / 1000);
  }
  return outboxEntries;
}

/** @returns what applies all rows in the transaction that it is given, after what the job defines for them */
async function prepareRows(
  services: AtomicServices,
  job: ImportJob,
  plan: InputPlan,
  signal: AbortSignal,
): Promise<WholeWork> {
  const { db, fileStore, config, rowsOfJobs } = services;
  const besideRows = await rowsOfJobs.open(services, job);
  const missing = missingOf(job);
  const version = job.definitions_version ?? 0;
  const load = (connection: Db, ofVersion: number): Promise<RowApplier> =>
    rowsOfJobs.loadApplier(connection, job, ofVersion, plan.headerCells);
  const definesFirst = besideRows !== undefined || missing !== undefined;
  const loaded = definesFirst ? undefined : await load(db, version);
  const key = await inputKey(db, job, plan);
  return async (trx, chunks) => {
    const made = await orRefusal(
      async () => besideRows?.write(trx) ?? (missing && rowsOfJobs.createMissing(trx, job, missing)),
    );
    if (made instanceof RejectedInput) return refusedBy(made);
    const applier = loaded ?? (await load(trx, made?.version ?? version));
    const source = { db, fileStore, key, reader: config.importReader, job, plan, applier };
    const outboxEntries: OutboxEntry[] = [];
    const isOurs = await applyRows(trx, { ...source, chunks, signal }, outboxEntries);
    const counts = await chunks.counts();
    const { failed } = counts;
    const recorded = made !== undefined && 'archive' in made ? await besideRows?.after(trx, made, counts) : made;
    const failing = job.isDryRun ? isRejectedPreview(job, failed) : failed > 0;
    const removing = { db, job, version: made?.version ?? version, signal };
    const removal = isOurs && !failing ? await orRefusal(() => removeMissing(trx, removing)) : undefined;
    if (removal instanceof RejectedInput) return refusedBy(removal);
    const end = { stays: isOurs && !job.isDryRun, outboxEntries, counts };
    const aborted = failing || (removal?.report.stopped === true && !job.isDryRun);
    if (aborted) {
      const note = failing ? { reason: ROWS_FAILED, message: null } : noteOf(job, removal);
      return { ...ABORTED, counts: { ...NO_ROWS, failed }, note, record: (trx) => forgetPreviewOf(trx, job.id) };
    }
    const definitions = job.isDryRun ? await definitionChangesOf(trx, job.id) : [];
    const around = job.isDryRun ? await surroundingChangesBy(trx, [job.id]) : [];
    return {
      ...end,
      outboxEntries: [...outboxEntries, ...(removal?.outboxEntries ?? [])],
      note: noteOf(job, removal),
      record: async (trx) => {
        await recordDefinitionPreview(trx, { siteId: job.site_id, jobId: job.id, actor: job.actor }, definitions);
        await recordSurroundingPreview(trx, job.site_id, around);
        if (recorded !== undefined) await recordCreation(trx, job, recorded, !job.isDryRun);
      },
    };
  };
}

const ABORTED = { stays: false, nothingApplied: true, outboxEntries: [] } as const;

/** The end of a job whose definitions cannot be created, or whose snapshot is refused, which it was not when it was planned. */
function refusedBy({ reason, message }: RejectedInput): WholeEnd {
  return { ...ABORTED, note: { reason, message }, counts: null };
}

async function forgetPreviewOf(trx: Knex.Transaction, jobId: string): Promise<void> {
  await forgetPreview(trx, jobId);
  await forgetPreviewRows(trx, jobId);
}

/**
 * Applies the rows without a savepoint for each chunk at first: many subtransactions slow down all readers of the rows
 * (https://www.postgresql.org/docs/current/subxacts.html), and only rows that Postgres itself rejects need them.
 */
async function applyRows(trx: Knex.Transaction, atomicJob: AtomicJob, outboxEntries: OutboxEntry[]): Promise<boolean> {
  await trx.raw(`SAVEPOINT ${BEFORE_ROWS}`);
  try {
    return await applyChunks(trx, atomicJob, false, outboxEntries);
  } catch (error) {
    if (!REFUSED_ROW.test((error as { code?: string }).code ?? '')) throw error;
    await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_ROWS}`);
    outboxEntries.length = 0;
    return applyChunks(trx, atomicJob, true, outboxEntries);
  }
}

/**
 * @param outboxEntries collects what to enqueue once the rows are committed
 * @returns false when another worker has taken over the job, so that the caller must undo what was written
 */
async function applyChunks(
  trx: Knex.Transaction,
  atomicJob: AtomicJob,
  guarded: boolean,
  outboxEntries: OutboxEntry[],
): Promise<boolean> {
  const { db, job, plan, applier, chunks, signal } = atomicJob;
  let due = await chunks.begin();
  if (due === null) return false;
  if (job.isDryRun) await besides(db, (other) => forgetPreviewOf(other, job.id));
  const reserved = await applier.reserve(trx, rowRange(plan.headerCells, plan.lastRow, plan.firstRow));
  // A dry run is undone, but not what it would have changed.
  const recordOwn = (result: AppliedRows): Promise<void> =>
    job.isDryRun && result.changes !== undefined
      ? besides(db, async (other) => {
          await recordChanges(other, [changedBy(job, result)]);
          if (previewOf(job) !== undefined) await recordPreviewRows(other, job.id, result.changes, applier);
        })
      : recordChanges(trx, [changedBy(job, result)]);
  const recordRows = async (chunk: CurrentChunk, result: AppliedRows): Promise<number | null> =>
    chunks.record(chunk, quotingSource(chunk.source, job, plan, result));
  let waiting = 0;
  for (let pass: number | null = 0; pass !== null; ) {
    const waited = waiting;
    waiting = 0;
    const deferred: number[] = [];
    const isLast = passOf(pass, '').last;
    let set = new ChunkSet<CurrentChunk>(applier);
    const finishSet = async (): Promise<boolean> => {
      const apply: Parameters<typeof set.apply>[3] = (read, context) => applier.apply(trx, read, context);
      for (const { chunk, result } of await set.apply(plan, reserved, guarded, apply)) {
        await recordOwn(result);
        outboxEntries.push(...(result.outboxEntries ?? []));
        if ((await recordRows(chunk, result)) === null) return false;
      }
      set = new ChunkSet(applier);
      return true;
    };
    for await (const { chunk, read, source } of readAhead(trx, atomicJob, due)) {
      signal.throwIfAborted();
      const current: CurrentChunk = { ...chunk, job_id: job.id, wave: pass, source };
      if (isLast) {
        const rows = countWaiting(chunk.outcomes ?? '');
        if (!set.hasRoom(rows) && !(await finishSet())) return false;
        set.add({ ...current, source: sourceOfWaiting(source, chunk.outcomes ?? '') }, read, rows);
        continue;
      }
      const result = await applier.apply(trx, read, contextOf(current, plan, reserved, guarded));
      applier.done(read);
      await recordOwn(result);
      outboxEntries.push(...(result.outboxEntries ?? []));
      const deferredRows = await recordRows(current, result);
      if (deferredRows === null) return false;
      if (deferredRows > 0) deferred.push(chunk.idx);
      waiting += deferredRows;
      await yieldToEventLoop();
    }
    if (isLast && !(await finishSet())) return false;
    due = deferred;
    pass = nextPass(pass, waited, waiting);
  }
  return true;
}
