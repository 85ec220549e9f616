/** The endpoints that take back what jobs have changed. */
import { z } from 'zod';
import { acceptRevert } from '../../../domain/imports/accept-revert.js';
import { callbackUrlSchema } from '../../../domain/job-model/job-type.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { type ApiRequest, type ApiResponse, defineRoute } from '../../define-route.js';
import { decidingMadeJob, neededApproval } from '../../needed-approval.js';
import { jobSchema } from '../../presenters/present-job.js';
import type { ApiServices } from '../../services.js';
import { jobParams } from './params.js';
import { requireSurroundingScopes } from './surrounding-scopes.js';

const MOST_JOBS = 100;

const options = {
  validateOnly: z.boolean().default(false).meta({
    description: 'A dry run: its changes, at `GET /jobs/{id}/changes`, are what it would take back',
  }),
  requireApproval: z.boolean().default(false).meta({
    description: 'The job shows what it would take back, and waits for an approval',
  }),
  callbackUrl: callbackUrlSchema.optional(),
};
const revertBody = z.strictObject(options).prefault({});

const SHARED = {
  method: 'POST',
  family: 'files',
  tag: 'Jobs',
  auth: { scope: 'catalog:write', orProposing: true },
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
      schema: z.object({
        jobId: z.string(),
        status: z.enum(['SCHEDULED', 'AWAITING_APPROVAL']),
        revertOf: z.array(z.string()),
      }),
    },
  },
  audit: 'JOB_REVERTED',
} as const;

const WHAT =
  'A new job of the type REVERT, at the end of the order, with a row for each item, for each definition (attribute, category, assignment, mapping), and of the import of an archive for each import profile, the settings and each webhook definition: updated ones get back what they were, created ones are deleted, and deleted ones are created again. What was changed again afterwards is kept as it is (CHANGED_SINCE), and so is a created definition that something else uses. To take back settings needs the scope `catalog:admin` as well, and webhook definitions `webhooks:write`. The job may need an approval, by `requireApproval` or by the rule of the stage, and can be reverted as well.';

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
  { validateOnly, requireApproval, callbackUrl }: z.output<typeof revertBody>,
): Promise<ApiResponse> {
  const approving = await neededApproval(request, services);
  return acceptMadeJob(request, services, {
    callbackUrl,
    accept: async (trx, job) => {
      const deciding = decidingMadeJob(approving, { validateOnly, requireApproval });
      await requireSurroundingScopes(trx, request, jobIds);
      return acceptRevert(trx, request.site, jobIds, { ...job, ...deciding });
    },
    besides: { revertOf: [...jobIds] },
  });
}
