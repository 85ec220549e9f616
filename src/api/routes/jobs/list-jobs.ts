/** GET /jobs/product */
import { z } from 'zod';
import { listJobs, showJob } from '../../../domain/jobs/read-job.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters, textList } from '../../list-query.js';
import { JOB_STATUSES, jobSchema } from '../../presenters/present-job.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

export const listJobsRoute = defineRoute({
  method: 'GET',
  path: '/jobs/product',
  family: 'files',
  tag: 'Jobs',
  summary: 'List jobs, newest first',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.object({
    ids: textList.optional(),
    type: textList.optional(),
    status: z.enum(JOB_STATUSES).optional(),
    ...pageParameters,
  }),
  responses: { 200: { description: 'Jobs', schema: pageSchema(jobSchema) } },
  async handle({ query: { ids, type, status, offset, limit }, site }, { db }) {
    const page = await listJobs(db, site, { ids, types: type, status }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, showJob) };
  },
});
