/** GET /jobs/{id}/errors */
import { z } from 'zod';
import { ERROR_CURSOR, findJob, pageJobErrors } from '../../../domain/jobs/read-job.js';
import { defineRoute } from '../../define-route.js';
import { jobParams } from './read-job.js';
import { resultLimit } from './result-limit.js';

const errorSchema = z.object({
  row: z.int(),
  key: z.string().nullable(),
  column: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  value: z.string().nullable(),
});

export const listJobErrorsRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/errors',
  family: 'files',
  tag: 'Jobs',
  summary: "List a job's row errors, by row",
  description:
    'Rows are numbered as in a spreadsheet, where the header is row 1. The first element of a JSON array is row 1.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.object({
    limit: resultLimit(100),
    after: z
      .string()
      .regex(ERROR_CURSOR, 'expected the `next` of the previous page, or a row number')
      .optional()
      .meta({ description: 'The `next` of the previous page, or a row number' }),
  }),
  responses: {
    200: {
      description: 'Errors',
      schema: z.object({ data: z.array(errorSchema), limit: z.int(), count: z.int(), next: z.string().optional() }),
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
