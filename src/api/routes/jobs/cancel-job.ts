/** POST /jobs/{id}/actions/cancel */
import { JOB_TYPES } from '../../../domain/job-types.js';
import { cancelJob, followEnd } from '../../../domain/jobs/end-job.js';
import { findJob, showJob } from '../../../domain/jobs/read-job.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema } from '../../presenters/present-job.js';
import { jobParams } from './read-job.js';

export const cancelJobRoute = defineRoute({
  method: 'POST',
  path: '/jobs/:id/actions/cancel',
  family: 'files',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description:
    'The job stops after the chunks that it has begun. What was applied stays and is counted. If the job has ended, the answer is 409.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: jobParams,
  responses: { 200: { description: 'The job as it is now', schema: jobSchema } },
  async handle({ params, site }, { db, producer, logger }) {
    const job = await findJob(db, site.siteId, params.id);
    const { outboxEntries, ended } = await cancelJob(db, JOB_TYPES, site.siteId, job.id);
    if (ended) await enqueueEntries(producer, await followEnd(db, JOB_TYPES, job.id), logger);
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 200, body: showJob(await findJob(db, site.siteId, job.id)) };
  },
});
