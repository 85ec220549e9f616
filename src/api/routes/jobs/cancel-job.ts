/** POST /jobs/{id}/actions/cancel */
import { cancelJob } from '../../../domain/jobs/cancel-job.js';
import { endDispatches } from '../../../domain/jobs/emit-job-end.js';
import { findJob } from '../../../domain/jobs/find-job.js';
import { announceEnd } from '../../../domain/jobs/job-ended.js';
import { takeUpNext } from '../../../domain/jobs/take-up-next.js';
import { sendDispatches } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema, presentJob } from '../../presenters/present-job.js';
import { jobParams } from './read-job.js';

export const cancelJobRoute = defineRoute({
  method: 'POST',
  path: '/jobs/:id/actions/cancel',
  family: 'files',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description: 'Stops within a chunk. What was applied before stays and is counted. 409 when the job has ended.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: jobParams,
  responses: { 200: { description: 'The job as it stands now', schema: jobSchema } },
  async handle({ params, site }, { db, producer, logger }) {
    const job = await findJob(db, site.siteId, params.id);
    const { dispatches, ended } = await cancelJob(db, site.siteId, job.id);
    if (ended) {
      await announceEnd(db, job.id);
      await sendDispatches(producer, await takeUpNext(db, job), logger);
      await sendDispatches(producer, await endDispatches(db, job.id), logger);
    }
    await sendDispatches(producer, dispatches, logger);
    return { status: 200, body: presentJob(await findJob(db, site.siteId, job.id)) };
  },
});
