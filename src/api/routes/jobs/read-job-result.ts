/** GET /jobs/{id}/result */
import { z } from 'zod';
import { pageJobResult, requireEnded } from '../../../domain/imports/job-result.js';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { parseJob } from '../../../domain/jobs/job-type.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import { exportResultSchema, presentExportResult } from '../../presenters/present-export-result.js';
import {
  attributeResultSchema,
  categoryResultSchema,
  itemResultSchema,
  presentResult,
} from '../../presenters/present-job-result.js';
import { jobParams } from './read-job.js';
import { resultLimit } from './result-limit.js';

const paging = { offset: z.int(), limit: z.int(), count: z.int() };

export const readJobResultRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/result',
  family: 'files',
  tag: 'Jobs',
  summary: 'Read the outcome of each row of a job',
  description: 'Answers the same as `Prefer: wait`, in pages of rows. While the job has not ended, the answer is 409.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.object({ offset: pageParameters.offset, limit: resultLimit(100) }),
  responses: {
    200: {
      description: 'The outcome of the rows on this page',
      schema: z.union([
        itemResultSchema.extend(paging),
        attributeResultSchema.extend(paging),
        categoryResultSchema.extend(paging),
        exportResultSchema,
      ]),
    },
  },
  async handle({ params, query: { offset, limit }, site }, { db, fileStore }) {
    const job = parseJob(JOB_TYPES, await findJob(db, site.siteId, params.id));
    if (job.jobType.result === 'file') return { status: 200, body: presentExportResult(requireEnded(job)) };
    const page = await pageJobResult({ db, fileStore }, job, { offset, limit });
    return { status: 200, body: { ...presentResult(job, page.rows), offset, limit, count: page.count } };
  },
});
