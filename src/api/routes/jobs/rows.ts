/** The endpoints that read the rows of a job: their errors, and their results. */
import { z } from 'zod';
import { pageJobResult, requireEnded } from '../../../domain/imports/job-result.js';
import { parseJob } from '../../../domain/job-model/job-type.js';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { ERROR_CURSOR, pageJobErrors } from '../../../domain/outcomes/job-errors.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import { presentExportResult } from '../../presenters/present-export-result.js';
import { presentResult, shownRemoval } from '../../presenters/present-outcome.js';
import { resultPageSchema } from '../../presenters/result-schemas.js';
import { jobParams } from './params.js';

const MAX_ROWS_A_PAGE = 1_000;
const DEFAULT_ROWS_A_PAGE = 100;

const EXPECTED_LIMIT = `expected a whole number from 1 to ${MAX_ROWS_A_PAGE}`;
const resultLimit = z
  .string(EXPECTED_LIMIT)
  .regex(/^\d{1,4}$/, EXPECTED_LIMIT)
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_ROWS_A_PAGE, EXPECTED_LIMIT)
  .default(DEFAULT_ROWS_A_PAGE)
  .meta({
    description: `How many rows to return (default ${DEFAULT_ROWS_A_PAGE}, at most ${MAX_ROWS_A_PAGE})`,
    // The documentation shows the number that the digits mean.
    type: 'integer',
    pattern: undefined,
    minimum: 1,
    maximum: MAX_ROWS_A_PAGE,
  });

const errorSchema = z
  .object({
    row: z.int(),
    key: z.string().nullable(),
    column: z.string().nullable(),
    code: z.string(),
    message: z.string(),
    value: z.string().nullable(),
  })
  .meta({ id: 'JobError' });

export const listJobErrorsRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/errors',
  operationId: 'listJobErrors',
  family: 'files',
  tag: 'Jobs',
  summary: "List a job's row errors, by row",
  description:
    'Rows are numbered as in a spreadsheet, where the header is row 1. The first element of a JSON array is row 1.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({
    limit: resultLimit,
    after: z
      .string()
      .regex(ERROR_CURSOR, 'expected the `next` of the previous page, or a row number')
      .optional()
      .meta({ description: 'The `next` of the previous page, or a row number' }),
  }),
  responses: {
    200: {
      description: 'Errors',
      schema: z.object({
        data: z.array(errorSchema),
        limit: z.int(),
        count: z.int().meta({ description: 'The number of errors on all pages; a row may have several' }),
        next: z.string().optional(),
      }),
    },
  },
  async handle({ params, query: { limit, after }, site }, { db }) {
    const job = await findJob(db, site.siteId, params.id);
    const page = await pageJobErrors(db, job.id, { limit, after });
    const data = page.rows.map(({ row_no: row, key, col: column, code, message, value }) => ({
      row,
      key,
      column,
      code,
      message,
      value,
    }));
    const next = page.next === null ? {} : { next: page.next };
    return { status: 200, body: { data, limit, count: page.count, ...next } };
  },
});

export const readJobResultRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/result',
  operationId: 'getJobResult',
  family: 'files',
  tag: 'Jobs',
  summary: 'Read the outcome of each row of a job',
  description: 'Answers the same as `Prefer: wait`, in pages of rows. While the job has not ended, the answer is 409.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({ offset: pageParameters.offset, limit: resultLimit }),
  refusals: { 409: 'The job has not ended', 410: 'The input of the job is no longer kept' },
  responses: {
    200: {
      description: 'The outcome of the rows on this page',
      schema: resultPageSchema,
    },
  },
  async handle({ params, query: { offset, limit }, site }, { db, fileStore }) {
    const job = parseJob(JOB_TYPES, await findJob(db, site.siteId, params.id));
    if (job.jobType.result === 'file') return { status: 200, body: presentExportResult(requireEnded(job)) };
    const page = await pageJobResult({ db, fileStore }, job, { offset, limit });
    const result = { ...(await presentResult(job, page.rows)), ...shownRemoval(job) };
    return { status: 200, body: { ...result, offset, limit, count: page.count } };
  },
});
