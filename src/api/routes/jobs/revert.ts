/** The endpoints that take back what jobs have changed. */
import { z } from 'zod';
import { runOnce } from '../../../domain/access/accept-once.js';
import { acceptRevert } from '../../../domain/imports/accept-revert.js';
import { newJobId } from '../../../domain/jobs/accept-job.js';
import { callbackUrlSchema } from '../../../domain/jobs/model/job-type.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { releaseDue } from '../../../domain/jobs/release-jobs.js';
import { enqueueEntries, type OutboxEntry } from '../../../queues/outbox.js';
import { checkTargets } from '../../check-targets.js';
import { type ApiRequest, type ApiResponse, defineRoute } from '../../define-route.js';
import { jobSchema, presentJob } from '../../presenters/present-job.js';
import type { ApiServices } from '../../services.js';
import { requireRoomFor, requireRows } from '../../store-room.js';
import { waitingClient } from '../../waiting-client.js';
import { jobParams } from './params.js';

const MOST_JOBS = 100;

const options = {
  validateOnly: z.boolean().default(false).meta({
    description: 'A dry run: its changes, at `GET /jobs/{id}/changes`, are what it would take back',
  }),
  callbackUrl: callbackUrlSchema.optional(),
};
const revertBody = z.strictObject(options).prefault({});

const SHARED = {
  method: 'POST',
  family: 'files',
  tag: 'Jobs',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  idempotent: true,
  prefersWait: true,
  refusals: {
    409: 'A job has not ended, or it has changed nothing',
    410: 'What a job has changed is no longer kept',
  },
  responses: {
    200: { description: 'With `Prefer: wait`: the new job, which has ended', schema: jobSchema },
    202: {
      description: 'Accepted; Location is the address of the new job',
      schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED'), revertOf: z.array(z.string()) }),
    },
  },
  audit: 'JOB_REVERTED',
} as const;

const WHAT =
  'A new job of the type REVERT, at the end of the order, with a row for each item and for each definition (attribute, category, assignment, mapping): updated ones get back what they were, created ones are deleted, and deleted ones are created again. What was changed again afterwards is kept as it is (CHANGED_SINCE), and so is a created definition that something else uses. The new job can be reverted as well.';

export const revertJobRoute = defineRoute({
  ...SHARED,
  path: '/jobs/:id/actions/revert',
  operationId: 'revertJob',
  summary: 'Take back what a job has changed',
  description: WHAT,
  params: jobParams,
  body: { schema: revertBody, required: false, example: { validateOnly: true } },
  handle: (request, services) => revert(request, services, [request.params.id], request.body ?? revertBody.parse({})),
});

export const revertJobsRoute = defineRoute({
  ...SHARED,
  path: '/jobs/actions/revert',
  operationId: 'revertJobs',
  summary: 'Take back what several jobs have changed',
  description: `As one job, whatever the order of their ids. ${WHAT}`,
  body: {
    schema: z.strictObject({
      jobIds: z
        .array(z.string())
        .min(1)
        .max(MOST_JOBS)
        .meta({ description: `1 to ${MOST_JOBS} jobs of this stage` }),
      ...options,
    }),
    example: { jobIds: ['6920f0c4a1b2c3d4e5f60718'], validateOnly: true },
  },
  handle: (request, services) => revert(request, services, request.body.jobIds, request.body),
});

async function revert(
  request: ApiRequest<unknown, unknown, unknown, true>,
  services: ApiServices,
  jobIds: readonly string[],
  { validateOnly, callbackUrl }: z.output<typeof revertBody>,
): Promise<ApiResponse> {
  const { site, idempotency, requestId, audit } = request;
  const { db, producer, logger, jobEnds } = services;
  await checkTargets(services.targets, { callbackUrl });
  let outboxEntries: OutboxEntry[] = [];
  const { answer, replayed } = await runOnce(db, idempotency, async (trx) => {
    // Within: an answer that was given already is given again, and spends nothing.
    await requireRoomFor(request, services);
    await requireRows(request, services, 0);
    const id = newJobId();
    await audit.record(trx, `job/${id}`);
    outboxEntries = await acceptRevert(trx, site, jobIds, { id, requestId, validateOnly, callbackUrl });
    return { status: 202, body: { jobId: id, status: 'SCHEDULED', revertOf: [...jobIds] }, jobId: id };
  });
  // Behind many others it is accepted as held. All of them may have ended since then.
  if (outboxEntries.length === 0 && !replayed) outboxEntries = await releaseDue(db, site.siteId);
  await enqueueEntries(producer, outboxEntries, logger);
  const jobId = answer.jobId ?? '';
  if (await jobEnds.wait(jobId, waitingClient(request, services))) {
    return { status: 200, body: presentJob(await findJob(db, site.siteId, jobId)) };
  }
  return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
}
