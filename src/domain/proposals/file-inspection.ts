/** The inspection of a file: starts its job, and finds what it has found. */
import type { Db } from '../../../db/connection.js';
import type { File } from '../../../db/models/file.js';
import type { JobStatus } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { fileFormat } from '../formats/file-format.js';
import {
  type Inspection,
  inspectionSchema,
  type StoredInspection,
  storedInspectionSchema,
} from '../inspection/model/inspection.js';
import { acceptJob } from '../jobs/accept-job.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { INSPECTED_ROWS, INSPECTION_JOB, INSPECTION_TYPE, type InspectedRows, rowsIn } from './model/inspection-job.js';

/** What is known of the inspection of a file. */
export type InspectionState =
  | { readonly kind: 'ready'; readonly inspection: Inspection }
  | { readonly kind: 'running'; readonly jobId: string }
  /** The file cannot be inspected, which no other attempt would change. */
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** It did not end, and has to be started. `jobId`: the job that did not end it; null: there was none. */
  | { readonly kind: 'none'; readonly jobId: string | null; readonly message: string }
  /** Other rows of the file were inspected last, by this job. */
  | { readonly kind: 'other'; readonly jobId: string };

const IS_KEPT = `coalesce(jsonb_exists(inspection, 'kept'), false) AS is_kept`;

interface InspectionRow {
  readonly job_id: string;
  readonly inspection: unknown;
  /** Whether what proposals need is there: not in inspections of an earlier release. */
  readonly is_kept: boolean;
  readonly status: JobStatus | null;
  readonly status_message: string | null;
  readonly reason: string | null;
  readonly completed_at: Date | null;
  /** The options of its job, which say what was asked for; null: that job is no longer kept. */
  readonly options: object | null;
  /** The options with which the file was announced. */
  readonly announced: object | null;
}

/** @param asked what of the form of the file is known; otherwise its announcement may say it */
export async function inspectionOf(db: Db, fileId: string, asked: InspectedRows = {}): Promise<InspectionState> {
  const stored: InspectionRow | undefined = await db('file_inspection')
    .leftJoin('job', 'job.id', 'file_inspection.job_id')
    .leftJoin('file', 'file.id', 'file_inspection.file_id')
    .leftJoin('job AS announced_job', 'announced_job.id', 'file.job_id')
    .where({ file_id: fileId })
    // Without the values that are kept for proposals: they may be megabytes.
    .first(
      'file_inspection.job_id',
      db.raw(`inspection - 'kept' AS inspection`),
      db.raw(IS_KEPT),
      'job.status',
      'job.status_message',
      'job.reason',
      'job.completed_at',
      'job.options',
      'announced_job.options AS announced',
    );
  if (stored === undefined) return { kind: 'none', jobId: null, message: 'the file was not inspected yet' };
  const { job_id: jobId, status, reason } = stored;
  const message = stored.status_message ?? 'the inspection has not ended';
  if (stored.inspection !== null) {
    // That of an earlier release may have another form: then the file is inspected again.
    const { success, data } = inspectionSchema.safeParse(stored.inspection);
    if (!success || !stored.is_kept) return { kind: 'none', jobId, message };
    return isOfOthers(asked, stored, data) ? { kind: 'other', jobId } : { kind: 'ready', inspection: data };
  }
  if (status === null) return { kind: 'none', jobId, message };
  if (stored.completed_at === null) return { kind: 'running', jobId };
  if (isOfOthers(asked, stored)) return { kind: 'other', jobId };
  if (status === 'REJECTED') return { kind: 'refused', reason: reason ?? 'WRONG_FORMAT', message };
  return { kind: 'none', jobId, message };
}

/** Whether something else is asked for than this inspection has read. A sheet or an encoding may be written in several ways. */
function isOfOthers(asked: InspectedRows, { options, announced }: InspectionRow, inspection?: Inspection): boolean {
  const read = rowsIn(options);
  if (inspection === undefined) {
    // That a file has no such path, or cannot be read like this, says nothing of other ways.
    const wanted = { ...rowsIn(announced), ...asked };
    return INSPECTED_ROWS.some((member) => wanted[member] !== read[member]);
  }
  const { rowPath, sheet, encoding, delimiter, headerRow, headerRows } = inspection.format;
  const found: { readonly [Member in keyof InspectedRows]: string | number | null | undefined } = {
    ...{ rowPath: rowPath?.value, sheet, encoding: encoding.value },
    ...{ delimiter: delimiter?.value, headerRow: headerRow.value, headerRows },
  };
  // Without a word about it, what is there is as good.
  const isSame = (member: keyof InspectedRows) => [undefined, read[member], found[member]].includes(asked[member]);
  return !INSPECTED_ROWS.every(isSame);
}

/** A finished inspection with the values that were kept for proposals; null: it has to be made anew. */
export async function keptInspection(db: Db, fileId: string): Promise<StoredInspection | null> {
  const stored: { inspection: unknown } | undefined = await db('file_inspection')
    .where({ file_id: fileId })
    .first('inspection');
  return storedInspectionSchema.safeParse(stored?.inspection).data ?? null;
}

/**
 * Starts the inspection of a file, unless another call has started it meanwhile.
 * @param after the job of an inspection that did not end; null: there was none
 * @returns the job that inspects the file, and what to enqueue once `trx` has committed
 */
export async function startInspection(
  trx: Db,
  site: SiteContext,
  { id: fileId, name, job_id: announcedId }: Pick<File, 'id' | 'name' | 'job_id'>,
  after: string | null,
  requestId: string,
  asked: InspectedRows = {},
): Promise<{ readonly jobId: string; readonly outboxEntries: OutboxEntry[] }> {
  if (fileFormat(name) === undefined) {
    const message = `the file ${name} has an ending that is not imported, and only what is imported can be inspected`;
    throw new DomainError('unprocessable', 'WRONG_FORMAT', message);
  }
  const id = newId();
  const { rows } = await trx.raw<{ rows: { job_id: string }[] }>(
    `INSERT INTO file_inspection (file_id, job_id) VALUES (:fileId, :id)
     ON CONFLICT (file_id) DO UPDATE SET job_id = excluded.job_id, inspection = NULL
       WHERE file_inspection.job_id = :after
     RETURNING job_id`,
    { fileId, id, after },
  );
  if (rows.length === 0) {
    const { job_id: jobId } = await trx('file_inspection').where({ file_id: fileId }).first('job_id');
    return { jobId, outboxEntries: [] };
  }
  const { siteId, accountId, channel, traceparent, actor } = site;
  const identity = { id, siteId, accountId, channel, requestId, traceparent, actor };
  const announced = await trx('job').where({ id: announcedId }).first('options');
  const options = { fileId, ...rowsIn(announced?.options ?? null), ...asked };
  const job = { ...identity, jobType: INSPECTION_JOB, type: INSPECTION_TYPE, options } as const;
  return { jobId: id, outboxEntries: await acceptJob(trx, job) };
}
