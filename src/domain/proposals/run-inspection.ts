/** Inspects a file, and keeps what was found with it. Each attempt reads the file from its beginning. */
import { File } from '../../../db/models/file.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { StepPayload } from '../../queues/define-queue.js';
import { formatOf } from '../formats/file-format.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../formats/model/source-limits.js';
import { storedBytes } from '../formats/model/stored-bytes.js';
import { inspectSource } from '../inspection/inspect-source.js';
import type { StoredInspection } from '../inspection/model/inspection.js';
import { type AttemptOutcome, type AttemptServices, beginAttempt, type StepAttempt } from '../jobs/attempts.js';
import { endJob } from '../jobs/end-job.js';
import type { JobEnd } from '../jobs/model/job-end.js';
import { recordProgress } from '../jobs/single-step.js';
import { isStorable, storable } from '../kernel/characters.js';
import { INSPECTION_JOBS, type InspectionJob } from './model/inspection-job.js';

interface InspectionServices extends AttemptServices {
  readonly fileStore: FileStore;
}

/** @param signal aborts the inspection; the next attempt begins anew */
export async function runInspection(
  services: InspectionServices,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const begun = await beginAttempt(services, INSPECTION_JOBS, payload, 'inspect');
  if (begun.kind !== 'begun') return begun;
  const { attempt } = begun;
  const inspected = await inspect(services, attempt, signal);
  if (inspected === 'stale') return { kind: 'stale' };
  return { kind: (await record(services, attempt, inspected)) ? 'ended' : 'stale' };
}

type InspectionAttempt = StepAttempt<InspectionJob>;

/** What came of reading the file: an inspection, or how the job ends without one. */
type Inspected = { readonly inspection: StoredInspection } | { readonly end: JobEnd };

async function inspect(
  { db, fileStore }: InspectionServices,
  attempt: InspectionAttempt,
  signal: AbortSignal,
): Promise<Inspected | 'stale'> {
  const { fileId, sheet, encoding, delimiter, rowPath, headerRow, headerRows } = attempt.job.options;
  const file = await File.query(db).findById(fileId);
  const key = file?.storage_key ?? null;
  if (file === undefined || key === null) {
    return { end: { status: 'CANCELLED', statusMessage: 'the bytes of the file are no longer kept' } };
  }
  let processedCount = 0;
  const watch = attempt.watch(db, async () => ({ processedCount }));
  try {
    const inspection = await inspectSource(
      {
        ...storedBytes(fileStore, key),
        ...formatOf(file.name),
        options: { sheet, encoding, delimiter },
        limits: DEFAULT_LIMITS,
        signal: AbortSignal.any([signal, watch.stale]),
      },
      (rows) => {
        processedCount = rows;
      },
      { rowPath, headerRow, headerRows },
    );
    return { inspection };
  } catch (error) {
    if (error instanceof RejectedInput) {
      return { end: { status: 'REJECTED', reason: error.reason, statusMessage: error.message } };
    }
    if (watch.stale.aborted && !signal.aborted) return 'stale';
    throw error;
  } finally {
    await watch.stop();
  }
}

/** Texts of the file that Postgres cannot store are kept as they can be shown: a NUL, or half of a surrogate pair. */
function storableText(_: string, value: unknown): unknown {
  return typeof value === 'string' && !isStorable(value) ? storable(value, Number.POSITIVE_INFINITY) : value;
}

/** Records what was found and the end of the job, in one transaction. @returns false when the attempt is no longer current */
function record({ db }: InspectionServices, attempt: InspectionAttempt, inspected: Inspected) {
  return withRetries(db, async (trx) => {
    if (!(await attempt.lock(trx))) return false;
    const { id: jobId, options } = attempt.job;
    if ('end' in inspected) {
      await endJob(trx, jobId, inspected.end);
      return true;
    }
    const { inspection } = inspected;
    // A job that repeats another one inspects the same file: the last one counts.
    await trx.raw(
      `INSERT INTO file_inspection (file_id, job_id, inspection)
       SELECT id, :jobId, :inspection::jsonb FROM file WHERE id = :fileId AND status = 'UPLOADED'
       ON CONFLICT (file_id) DO UPDATE SET job_id = excluded.job_id, inspection = excluded.inspection`,
      { jobId, fileId: options.fileId, inspection: JSON.stringify(inspection, storableText) },
    );
    const rows = inspection.rows;
    await recordProgress(trx, attempt, { totalCount: rows, processedCount: rows });
    await endJob(trx, jobId, { status: 'COMPLETED' });
    return true;
  });
}
