/** The outcome of a job's rows, in the shape of the operation that created the job. */
import type { z } from 'zod';
import { pageJobResult } from '../../domain/imports/job-result.js';
import type { ImportJob } from '../../domain/imports/model/import-jobs.js';
import type { RowResult } from '../../domain/imports/model/row-result.js';
import type { LoadedJob } from '../../domain/job-model/job-type.js';
import { showJob } from '../../domain/job-model/show-job.js';
import { fromInTurns } from '../../platform/time-slice.js';
import type { ApiResponse } from '../define-route.js';
import type { ApiServices } from '../services.js';
import { isReportTooLarge } from './report-size.js';
import type { itemResultSchema, rowError } from './result-schemas.js';

/**
 * The whole result, for a client that waited: 200, 422 if nothing was applied, 202 if only pages of it exist.
 * @param lines the rows of the request, if the caller has them
 */
export async function presentOutcome(
  { db, fileStore }: Pick<ApiServices, 'db' | 'fileStore'>,
  job: ImportJob,
  lines?: Buffer,
): Promise<ApiResponse> {
  if (job.status === 'AWAITING_APPROVAL') return presentWaiting(job);
  if (job.status === 'FAILED' || job.status === 'CANCELLED') {
    return nothingWasApplied(job, job.status_message ?? job.status, []);
  }
  if (await isReportTooLarge(db, job)) return presentElsewhere(job);
  const all = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
  const { rows } = await pageJobResult({ db, fileStore, lines }, job, all);
  const noneApplied = rows.every(({ outcome }) => FAILED.includes(outcome));
  if (job.jobType.result === 'items' && (noneApplied || job.status === 'REJECTED')) {
    const message = job.status_message ?? 'no row could be applied';
    return nothingWasApplied(job, message, (await fromInTurns(rows, flatErrors)).flat());
  }
  return { status: 200, body: { ...(await presentResult(job, rows)), ...shownRemoval(job) } };
}

/** Of a request that is the whole truth: what became of what it lacks, which is no row. */
export function shownRemoval(job: LoadedJob): Pick<z.input<typeof itemResultSchema>, 'removal' | 'message'> {
  const { removal, statusMessage } = showJob(job);
  return removal === undefined ? {} : { removal, message: statusMessage ?? '' };
}

/** The preview of a job is no result: its changes are read at an address of their own. */
function presentWaiting({ id, status, status_message: message }: LoadedJob): ApiResponse {
  return { status: 202, body: { jobId: id, status, message }, headers: { Location: `/jobs/${id}` } };
}

function nothingWasApplied({ id }: LoadedJob, message: string, errors: readonly unknown[]): ApiResponse {
  const body = { code: 'STATUS_ERROR', message, jobId: id, errors };
  return { status: 422, body, headers: { Location: `/jobs/${id}` } };
}

function presentElsewhere({ id, status, error_count: failed }: LoadedJob): ApiResponse {
  const errors = `/jobs/${id}/errors`;
  const message = `the job has ended; the errors of ${failed} rows are too many for one answer: read them page by page at ${errors}, and the whole result at /jobs/${id}/result`;
  return { status: 202, body: { jobId: id, status, message, errors }, headers: { Location: `/jobs/${id}` } };
}

/** The outcome letters of rows that were not written to the catalog. */
const FAILED = 'ed-';

/** One page of a result, in the shape of its operation. It may be the whole result of 10,000 rows. */
export async function presentResult(
  job: { readonly id: string; readonly jobType: Pick<LoadedJob['jobType'], 'result'> },
  rows: readonly RowResult[],
): Promise<object> {
  const applied = rows.filter(({ outcome }) => !FAILED.includes(outcome));
  const failed = rows.filter(({ outcome }) => FAILED.includes(outcome));
  const { result } = job.jobType;
  if (result === 'attributes') {
    return {
      jobId: job.id,
      attributes: {
        success: await fromInTurns(applied, (row) => ({ id: row.id, name: row.key, message: messageOf(row) })),
        failed: await fromInTurns(failed, (row) => ({ index: row.index, name: row.key, errors: reasonsOf(row) })),
      },
    };
  }
  if (result === 'categories') {
    return {
      jobId: job.id,
      categories: {
        success: await fromInTurns(applied, ({ id, nodeId = null, key: path, outcome }) => ({
          id,
          nodeId,
          path,
          message: messageOf({ outcome }),
        })),
        failed: await fromInTurns(failed, (row) => ({ index: row.index, path: row.key, errors: reasonsOf(row) })),
      },
    };
  }
  return {
    jobId: job.id,
    success: await fromInTurns(applied, (row) => ({ sku: row.key, itemId: row.id, message: messageOf(row) })),
    failed: await fromInTurns(failed, (row) => ({
      ...{ index: row.index, sku: row.key },
      ...firstError(row),
      errors: errorsOf(row),
    })),
    itemIds: applied.flatMap(({ id }) => (id === null ? [] : [id])),
  };
}

const MESSAGES: Readonly<Record<string, string>> = { c: 'created', u: 'updated', n: 'unchanged', x: 'deleted' };

function messageOf({ outcome }: Pick<RowResult, 'outcome'>): string {
  return MESSAGES[outcome] ?? outcome;
}

/** Of a row that others have kept from being written, or to which the job did not come before it ended. */
const NOT_APPLIED = {
  code: 'NOT_APPLIED',
  message: 'it was not written, because others failed or the job ended before it; see the status of the job',
};

function firstError({ errors: [first] }: RowResult): { code: string; message: string } {
  return first === undefined ? NOT_APPLIED : { code: first.code, message: first.message };
}

/** At least one, so that no row fails without a word. */
function reasonsOf(row: RowResult): z.input<typeof rowError>[] {
  return row.errors.length > 0 ? errorsOf(row) : [{ ...NOT_APPLIED, path: null, value: null }];
}

function errorsOf({ errors }: RowResult): z.input<typeof rowError>[] {
  return errors.map(({ code, col, message, value }) => ({ code, path: col, message, value }));
}

function flatErrors(row: RowResult): { index: number; path: string | null; code: string; message: string }[] {
  return row.errors.map(({ code, col, message }) => ({ index: row.index, path: col, code, message }));
}
