/** A job and its outcome, as clients see them. */
import { z } from 'zod';
import type { JobRow } from '../../../db/models/job.js';
import type { ImportJob } from '../../domain/imports/import-jobs.js';
import type { RowResult } from '../../domain/imports/job-result.js';
import { pageJobResult } from '../../domain/imports/job-result.js';
import { isReportTooLarge } from '../../domain/jobs/job-errors.js';
import type { LoadedJob } from '../../domain/jobs/model/job-type.js';
import { showJob } from '../../domain/jobs/model/show-job.js';
import type { ApiResponse, ResponseSpec } from '../define-route.js';
import type { ApiServices } from '../services.js';

// A job as clients see it.

const JOB_STATUSES = [
  'AWAITING_UPLOAD',
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'COMPLETED_PARTIALLY',
  'REJECTED',
  'FAILED',
  'CANCELLATION_IN_PROGRESS',
  'CANCELLED',
  'EXPIRED',
] as const;

const time = z.iso.datetime().nullable();

export const jobSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    status: z.enum(JOB_STATUSES),
    statusMessage: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'The machine-readable reason of REJECTED and FAILED' }),
    outcome: z.enum(['NONE_FAILED', 'SOME_FAILED', 'ALL_FAILED']).nullable().meta({
      description:
        'How many of its rows failed, or would fail if it is a dry run (`options.validateOnly`); null: it has not ended, has no rows, or ended before all were judged',
    }),
    inputFileId: z.string().nullable(),
    inputFileName: z.string().nullable().meta({ description: 'The name under which its file was announced' }),
    outputFiles: z.array(z.string()),
    errorFiles: z.array(z.string()),
    progressTracker: z.object({
      totalCount: z.int().nullable(),
      processedCount: z.int(),
      createdCount: z.int(),
      updatedCount: z.int(),
      unchangedCount: z.int(),
      errorCount: z.int(),
      updatedAt: time,
    }),
    errorSummary: z.array(
      z.object({
        code: z.string(),
        path: z.string().nullable(),
        count: z.int().meta({
          description:
            'The number of rows: one with two such errors, which GET /jobs/{id}/errors lists both, counts once',
        }),
        rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"' }),
        example: z.string(),
      }),
    ),
    warnings: z
      .array(
        z.object({
          code: z.string(),
          path: z.string().nullable(),
          count: z.int(),
          rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"; "all" for an empty column' }),
          example: z.string(),
        }),
      )
      .meta({ description: 'What was noticed about rows that were applied; a warning changes no outcome' }),
    createdAt: time,
    startedAt: time,
    completedAt: time,
    options: z.record(z.string(), z.unknown()).meta({
      description:
        'The options that the job was given, with the defaults of those that were left out; without callbackUrl, which may contain a secret',
    }),
  })
  .meta({ id: 'Job' });

/** A job that was read for a client. */
export function presentJob(job: JobRow & { readonly input_file_name: string | null }): z.input<typeof jobSchema> {
  return { ...showJob(job), outcome: outcomeOf(job), inputFileName: job.input_file_name };
}

function outcomeOf({ status, error_count: failed, processed_count: rows }: JobRow) {
  const isJudged = status === 'COMPLETED' || status === 'COMPLETED_PARTIALLY';
  if (!isJudged || rows === 0) return null;
  if (failed === 0) return 'NONE_FAILED';
  return failed === rows ? 'ALL_FAILED' : 'SOME_FAILED';
}

// The result of an export, for a client that waited for it.

export const exportResultSchema = z
  .object({
    jobId: z.string(),
    status: jobSchema.shape.status,
    statusMessage: z.string().nullable(),
    rowCount: z.int().nullable(),
    outputFiles: z
      .array(z.string())
      .meta({ description: 'The id of the file; GET /files/product/{id}/actions/download answers its URL' }),
  })
  .meta({ id: 'ExportResult' });

export function presentExportResult(
  job: Pick<JobRow, 'id' | 'status' | 'status_message' | 'total_count' | 'output_file_id'>,
): z.input<typeof exportResultSchema> {
  return {
    jobId: job.id,
    status: job.status,
    statusMessage: job.status_message,
    rowCount: job.total_count,
    outputFiles: job.output_file_id === null ? [] : [job.output_file_id],
  };
}

// The outcome of a job's rows, in the shape of the operation that created the job.

const rowError = z
  .object({
    code: z.string(),
    path: z.string().nullable(),
    message: z.string(),
    value: z.string().nullable(),
  })
  .meta({ id: 'RowError' });

const itemResultSchema = z
  .object({
    jobId: z.string(),
    success: z.array(z.object({ sku: z.string().nullable(), itemId: z.string().nullable(), message: z.string() })),
    failed: z.array(
      z.object({
        index: z.int(),
        sku: z.string().nullable(),
        code: z.string(),
        message: z.string(),
        errors: z.array(rowError),
      }),
    ),
    itemIds: z.array(z.string()),
  })
  .meta({ id: 'ItemResult' });

const attributeResultSchema = z
  .object({
    jobId: z.string(),
    attributes: z.object({
      success: z.array(z.object({ id: z.string().nullable(), name: z.string().nullable(), message: z.string() })),
      failed: z.array(z.object({ index: z.int(), name: z.string().nullable(), errors: z.array(rowError) })),
    }),
  })
  .meta({ id: 'AttributeResult' });

const categoryResultSchema = z
  .object({
    jobId: z.string(),
    categories: z.object({
      success: z.array(
        z.object({
          id: z.string().nullable(),
          nodeId: z.int().nullable(),
          path: z.string().nullable(),
          message: z.string(),
        }),
      ),
      failed: z.array(z.object({ index: z.int(), path: z.string().nullable(), errors: z.array(rowError) })),
    }),
  })
  .meta({ id: 'CategoryResult' });

const paging = { offset: z.int(), limit: z.int(), count: z.int() };

/** A page of the outcome of any job. */
export const resultPageSchema = z
  .union([
    itemResultSchema.extend(paging),
    attributeResultSchema.extend(paging),
    categoryResultSchema.extend(paging),
    exportResultSchema,
  ])
  .meta({ id: 'ResultPage' });

const accepted: ResponseSpec = {
  description:
    'Accepted; Location is the address of the job. With `Prefer: wait` also if the job has ended with too many errors for one answer: `errors` is the address of their pages',
  schema: z
    .object({
      jobId: z.string(),
      status: z.string().meta({ examples: ['SCHEDULED'] }),
      message: z.string().optional(),
      errors: z.string().optional().meta({ description: 'The address of the errors' }),
    })
    .meta({ id: 'AcceptedJob' }),
};

const nothingApplied: ResponseSpec = {
  description: 'With `Prefer: wait`: every row failed, or with `onError=abort` at least one row',
  schema: z
    .object({
      code: z.literal('STATUS_ERROR'),
      message: z.string(),
      jobId: z.string().meta({ description: 'The job that was executed; its address is in Location' }),
      errors: z.array(z.unknown()),
    })
    .meta({ id: 'NothingApplied' }),
};

/** The answers to bulk requests, by what their rows are. */
export const BULK_RESPONSES: Readonly<Record<'items' | 'attributes' | 'categories', Record<number, ResponseSpec>>> = {
  items: {
    200: { description: 'With `Prefer: wait`: the outcome of each row', schema: itemResultSchema },
    202: accepted,
    422: nothingApplied,
  },
  attributes: {
    200: { description: 'With `Prefer: wait`: the outcome of each element', schema: attributeResultSchema },
    202: accepted,
    422: nothingApplied,
  },
  categories: {
    200: { description: 'With `Prefer: wait`: the outcome of each element', schema: categoryResultSchema },
    202: accepted,
    422: nothingApplied,
  },
};

/** The whole result, for a client that waited: 200, 422 if nothing was applied, 202 if only pages of it exist. */
export async function presentOutcome(services: ApiServices, job: ImportJob): Promise<ApiResponse> {
  if (job.status === 'FAILED' || job.status === 'CANCELLED') {
    return nothingWasApplied(job, job.status_message ?? job.status, []);
  }
  if (await isReportTooLarge(services.db, job)) return presentElsewhere(job);
  const { rows } = await pageJobResult(services, job, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
  const noneApplied = rows.every(({ outcome }) => FAILED.includes(outcome));
  if (job.jobType.result === 'items' && (noneApplied || job.status === 'REJECTED')) {
    const message = job.status_message ?? 'no row could be applied';
    return nothingWasApplied(job, message, rows.flatMap(flatErrors));
  }
  return { status: 200, body: presentResult(job, rows) };
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

/** One page of a result, in the shape of its operation. */
export function presentResult(
  job: { readonly id: string; readonly jobType: Pick<LoadedJob['jobType'], 'result'> },
  rows: readonly RowResult[],
): object {
  const applied = rows.filter(({ outcome }) => !FAILED.includes(outcome));
  const failed = rows.filter(({ outcome }) => FAILED.includes(outcome));
  const { result } = job.jobType;
  if (result === 'attributes') {
    return {
      jobId: job.id,
      attributes: {
        success: applied.map((row) => ({ id: row.id, name: row.key, message: messageOf(row) })),
        failed: failed.map((row) => ({ index: row.index, name: row.key, errors: errorsOf(row) })),
      },
    };
  }
  if (result === 'categories') {
    const identityOf = ({ id, nodeId = null, key: path }: RowResult) => ({ id, nodeId, path });
    return {
      jobId: job.id,
      categories: {
        success: applied.map((row) => ({ ...identityOf(row), message: messageOf(row) })),
        failed: failed.map((row) => ({ index: row.index, path: row.key, errors: errorsOf(row) })),
      },
    };
  }
  return {
    jobId: job.id,
    success: applied.map((row) => ({ sku: row.key, itemId: row.id, message: messageOf(row) })),
    failed: failed.map((row) => ({ index: row.index, sku: row.key, ...firstError(row), errors: errorsOf(row) })),
    itemIds: applied.flatMap(({ id }) => (id === null ? [] : [id])),
  };
}

const MESSAGES: Readonly<Record<string, string>> = { c: 'created', u: 'updated', n: 'unchanged', x: 'deleted' };

function messageOf({ outcome }: RowResult): string {
  return MESSAGES[outcome] ?? outcome;
}

function firstError({ errors: [first] }: RowResult): { code: string; message: string } {
  return first === undefined
    ? { code: 'NOT_APPLIED', message: 'the row was not applied' }
    : { code: first.code, message: first.message };
}

function errorsOf({ errors }: RowResult): z.input<typeof rowError>[] {
  return errors.map(({ code, col, message, value }) => ({ code, path: col, message, value }));
}

function flatErrors(row: RowResult): { index: number; path: string | null; code: string; message: string }[] {
  return row.errors.map(({ code, col, message }) => ({ index: row.index, path: col, code, message }));
}
