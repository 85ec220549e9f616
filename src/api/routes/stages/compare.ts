/** The endpoints that compare a stage with another one of the account, and carry over what was found. */
import type { Knex } from 'knex';
import { z } from 'zod';
import { changeFilterNames } from '../../../domain/catalog/items/change-filter-names.js';
import { normalizeSku } from '../../../domain/catalog/items/item-key.js';
import { acceptCompare, acceptPromote, promoteOptionsOf } from '../../../domain/imports/accept-promote.js';
import { CARRIED_DEFINITIONS } from '../../../domain/imports/model/promote-job.js';
import { callbackUrlSchema } from '../../../domain/job-model/job-type.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { defineRoute } from '../../define-route.js';
import { decidingMadeJob, neededApproval } from '../../needed-approval.js';
import { jobSchema } from '../../presenters/present-job.js';

const MOST_SKUS = 10_000;

const SHARED = {
  method: 'POST',
  family: 'files',
  tag: 'Jobs',
  siteContext: true,
  idempotent: true,
  prefersWait: true,
  responses: {
    200: { description: 'With `Prefer: wait`: the new job, which has ended', schema: jobSchema },
    202: {
      description: 'Accepted; Location is the address of the new job',
      schema: z.object({ jobId: z.string(), status: z.enum(['SCHEDULED', 'AWAITING_APPROVAL']) }),
    },
  },
} as const;

export const compareStagesRoute = defineRoute({
  ...SHARED,
  path: '/jobs/site/actions/compare',
  operationId: 'compareStages',
  summary: 'Compare this stage with another one',
  description:
    'A new job of the type STAGE_COMPARE, which no other job waits for: it finds all that would make the definitions and items of the stage of x-site-context (the target) those of the stage `with` (the source), and writes nothing. `GET /jobs/{id}/changes`, its summary and its download list what differs as a dry run does: definitions first. Attributes are matched by name, categories by path, items by SKU. What only the target has of definitions is no difference, nor is their order. For 24 hours, what was found can be carried over.',
  auth: { scope: 'catalog:read' },
  refusals: { 404: 'There is no such stage' },
  body: {
    schema: z.strictObject({
      with: z.string().min(1).meta({ description: 'The other stage of the same account' }),
      callbackUrl: callbackUrlSchema.optional(),
    }),
    example: { with: 'staging' },
  },
  audit: 'STAGE_COMPARED',
  handle: (request, services) =>
    acceptMadeJob(request, services, {
      callbackUrl: request.body.callbackUrl,
      accept: (trx, job) => acceptCompare(trx, request.site, request.body.with, job),
    }),
});

const promoteBody = z.strictObject({
  compareJobId: z.string().meta({ description: 'A job of `POST /jobs/site/actions/compare` of this stage' }),
  skus: z.array(z.string()).min(1).max(MOST_SKUS).optional().meta({ description: 'Only these items' }),
  filter: z
    .strictObject({
      operations: z
        .array(z.enum(['CREATED', 'UPDATED', 'DELETED']))
        .min(1)
        .optional(),
      attributes: z
        .array(z.string())
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'Only items that differ in one of these attributes or fields' }),
    })
    .optional()
    .meta({ description: 'Only items whose difference is of this kind' }),
  definitions: z.enum(CARRIED_DEFINITIONS).default('needed').meta({
    description:
      'Which definitions are carried over before the items: those that the chosen items need (nothing is taken away), all that differ (roles, removed options and assignments included), or none',
  }),
  validateOnly: z.boolean().default(false),
  requireApproval: z.boolean().default(false),
  callbackUrl: callbackUrlSchema.optional(),
});

export const promoteStageRoute = defineRoute({
  ...SHARED,
  path: '/jobs/site/actions/promote',
  operationId: 'promoteStage',
  summary: 'Carry over to this stage what a comparison has found',
  description:
    'A new job of the type STAGE_PROMOTE, at the end of the order, with a row for each definition and each item. Definitions that the items need come before them: attributes with their options, categories, assignments. An item gets what it has in the other stage, is created, or is deleted. What was changed in one of the stages after they were compared is not written (CHANGED_SINCE). The job can wait for an approval, and be reverted as a whole.',
  auth: { scope: 'catalog:write', orProposing: true },
  refusals: {
    404: 'There is no such job in this stage',
    409: 'The job is no comparison, or has not ended',
    410: 'The comparison is older than 24 hours',
  },
  body: { schema: promoteBody, example: { compareJobId: '6920f0c4a1b2c3d4e5f60718', skus: ['DISK-2'] } },
  audit: 'STAGE_PROMOTED',
  async handle(request, services) {
    const { compareJobId, skus, filter = {}, definitions, validateOnly, requireApproval, callbackUrl } = request.body;
    const { db } = services;
    const named = filter.attributes;
    const keys = named && (await changeFilterNames(db, request.site.siteId, named, 'filter.attributes'));
    const chosen = { skus: skus?.map(normalizeSku), operations: filter.operations, keys };
    const approving = await neededApproval(request, services);
    const accept = async (trx: Knex.Transaction, job: Parameters<typeof acceptPromote>[3]) => {
      const options = await promoteOptionsOf(trx, request.site.siteId, compareJobId, chosen, definitions);
      const deciding = decidingMadeJob(approving, { validateOnly, requireApproval });
      return acceptPromote(trx, request.site, { ...options, ...deciding, callbackUrl }, job);
    };
    return acceptMadeJob(request, services, { callbackUrl, accept });
  },
});
