/** The endpoints that list jobs and read one. */
import { z } from 'zod';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { listJobs } from '../../../domain/jobs/list-jobs.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { defineRoute } from '../../define-route.js';
import { knownList, pageParameters, searchText, textList } from '../../list-query.js';
import { jobSchema, presentJob } from '../../presenters/present-job.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';
import { waitingClient } from '../../waiting-client.js';
import { jobParams } from './params.js';

/** The names by which clients know the types of jobs. */
const TYPE_NAMES = Object.values(JOB_TYPES).flatMap(({ names }) => names);

export const listJobsRoute = defineRoute({
  method: 'GET',
  path: '/jobs/product',
  operationId: 'listJobs',
  family: 'files',
  tag: 'Jobs',
  summary: 'List jobs, newest first',
  description:
    'Imports, exports, bulk requests and other jobs of the data set, a page at a time, with their state and counts.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.strictObject({
    ids: textList.optional(),
    type: knownList(TYPE_NAMES).optional(),
    status: jobSchema.shape.status.optional(),
    submittedBy: searchText
      .max(100)
      .optional()
      .meta({ description: 'Only jobs of this actor: `token:` or `feed:` and an id' }),
    ...pageParameters,
  }),
  responses: { 200: { description: 'Jobs', schema: pageSchema(jobSchema) } },
  async handle({ query: { ids, type, status, submittedBy, offset, limit }, site }, { db }) {
    const page = await listJobs(db, site, { ids, types: type, status, actor: submittedBy }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentJob) };
  },
});

export const readJobRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id',
  operationId: 'getJob',
  family: 'files',
  tag: 'Jobs',
  summary: 'Read a job',
  description: 'With `Prefer: wait=N` the answer is sent when the job has ended, and after N seconds in any case.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  prefersWait: true,
  responses: { 200: { description: 'The job', schema: jobSchema } },
  async handle(request, services) {
    const { params, site, preferWaitMs } = request;
    const { db, jobEnds } = services;
    const job = await findJob(db, site.siteId, params.id);
    if (job.completed_at !== null || preferWaitMs === 0) return { status: 200, body: presentJob(job) };
    await jobEnds.wait(job.id, waitingClient(request, services));
    await request.takeTurn();
    return { status: 200, body: presentJob(await findJob(db, site.siteId, params.id)) };
  },
});
