/** GET /jobs/{id} */
import { z } from 'zod';
import { findJob, showJob } from '../../../domain/jobs/read-job.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema } from '../../presenters/present-job.js';

export const jobParams = z.object({ id: z.string() });

export const readJobRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id',
  family: 'files',
  tag: 'Jobs',
  summary: 'Read a job',
  description: 'With `Prefer: wait=N` the answer is sent when the job has ended, and after N seconds in any case.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  prefersWait: true,
  responses: { 200: { description: 'The job', schema: jobSchema } },
  async handle({ params, site, preferWaitMs }, { db, jobEnds, stopping }) {
    const job = await findJob(db, site.siteId, params.id);
    if (job.completed_at !== null || !(await jobEnds.wait(job.id, preferWaitMs, stopping))) {
      return { status: 200, body: showJob(preferWaitMs > 0 ? await findJob(db, site.siteId, params.id) : job) };
    }
    return { status: 200, body: showJob(await findJob(db, site.siteId, params.id)) };
  },
});
