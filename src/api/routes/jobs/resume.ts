/** The endpoint that resumes the jobs of a data set. */
import type { Db } from '../../../../db/connection.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { resumeAfter } from '../../../domain/jobs/resume-jobs.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema, presentJob } from '../../presenters/present-job.js';
import { jobParams } from './params.js';

export const resumeJobsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/:id/actions/resume',
  operationId: 'resumeJobs',
  family: 'files',
  tag: 'Jobs',
  summary: 'Resume the jobs behind a failed job',
  description:
    'For accounts whose jobs wait when an earlier job of the stage is FAILED: the jobs behind this one go on. If none waits for that, the answer is 409.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: jobParams,
  refusals: { 409: 'No job waits because of this one' },
  responses: { 200: { description: 'The failed job', schema: jobSchema } },
  audit: 'JOBS_RESUMED',
  async handle({ params, site, audit }, { db, producer, logger }) {
    const job = await findJob(db, site.siteId, params.id);
    const record = (trx: Db) => audit.record(trx, `job/${job.id}`);
    await enqueueEntries(producer, await resumeAfter(db, site.siteId, job.id, record), logger);
    return { status: 200, body: presentJob(job) };
  },
});
