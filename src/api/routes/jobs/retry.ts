/** The endpoint that retries the failed rows of a job. */
import { z } from 'zod';
import { refuseMissingInput } from '../../../domain/files/require-input.js';
import { IMPORT_JOBS } from '../../../domain/imports/model/import-jobs.js';
import { keptOptions } from '../../../domain/imports/model/import-options.js';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { retryJob } from '../../../domain/jobs/retry-job.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { defineRoute } from '../../define-route.js';
import { decidingMadeJob, neededApproval } from '../../needed-approval.js';
import { jobSchema } from '../../presenters/present-job.js';
import { requireArchiveAllowed } from '../files/archive-options.js';
import { jobParams } from './params.js';
import { requireSurroundingScopes } from './surrounding-scopes.js';

const retryBody = z
  .strictObject({
    rows: z.enum(['all', 'failed']).default('all').meta({
      description:
        'all: the rows that the job has not applied, because they failed or it never came to them. failed: only those that failed',
    }),
    force: z.boolean().default(false).meta({
      description:
        'Applies rows, too, whose item, attribute or category was changed, or whose item was deleted, after the job had ended',
    }),
  })
  .prefault({});

/** What the options of such a job say of the one that repeats it. */
const decided = z.object({ validateOnly: z.boolean(), requireApproval: z.boolean().optional() });

/** Of a revert: what it takes back. */
const reverting = z.object({ revertOf: z.array(z.string()) });

/** Kinds of jobs that a rule of the site may have wait for an approval. */
const APPROVED_KINDS: readonly string[] = [
  IMPORT_JOBS.item.kind,
  IMPORT_JOBS.attribute.kind,
  IMPORT_JOBS.category.kind,
];
/** The same, of jobs whose rows the service makes itself. */
const MADE_KINDS: readonly string[] = [IMPORT_JOBS.revert.kind, IMPORT_JOBS.promote.kind];

export const retryJobRoute = defineRoute({
  method: 'POST',
  path: '/jobs/:id/actions/retry',
  operationId: 'retryJob',
  family: 'files',
  tag: 'Jobs',
  summary: 'Retry a job that has ended',
  description:
    'A new job with the same input and options, at the end of the order; its option `retryOf` is the id of this job, which does not change. Rows whose item was changed or deleted, or whose attribute or category was changed, since this job has ended fail as ROW_SUPERSEDED, unless `force` is given. An export or a replay is requested again.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: jobParams,
  body: { schema: retryBody, required: false, example: { rows: 'all', force: false } },
  idempotent: true,
  prefersWait: true,
  refusals: {
    409: 'The job has not ended, or it has no rows to retry',
    410: 'The input of the job is no longer kept, or its file is missing',
  },
  responses: {
    200: { description: 'With `Prefer: wait`: the new job, which has ended', schema: jobSchema },
    202: {
      description: 'Accepted; Location is the address of the new job',
      schema: z.object({ jobId: z.string(), status: z.enum(['SCHEDULED', 'AWAITING_APPROVAL']), retryOf: z.string() }),
    },
  },
  audit: 'JOB_RETRIED',
  async handle(request, services) {
    const { params, site, idempotency, body = retryBody.parse({}) } = request;
    const { siteId, traceparent = null, actor = null } = site;
    const needed = await neededApproval(request, services);
    if (idempotency?.answered == null) await refuseMissingInput(services.db, services.fileStore, siteId, params.id);
    return acceptMadeJob(request, services, {
      besides: { retryOf: params.id },
      accept: async (trx, { id, requestId }) => {
        let takenBack: readonly string[] = [];
        const { outboxEntries } = await retryJob(trx, JOB_TYPES, params.id, {
          id,
          requestId,
          traceparent,
          actor,
          siteId,
          ...body,
          withApproval: (options, { kind, type, input_file_id: file }) => {
            // The stage is that of now: what is written to it is looked at first.
            if (kind === IMPORT_JOBS.site.kind) {
              requireArchiveAllowed(request.principal, site);
              return needed({ ...keptOptions.parse(options), requireApproval: true }, type);
            }
            if (kind === IMPORT_JOBS.revert.kind) takenBack = reverting.parse(options).revertOf;
            if (MADE_KINDS.includes(kind)) return { ...options, ...decidingMadeJob(needed, decided.parse(options)) };
            return APPROVED_KINDS.includes(kind)
              ? needed(keptOptions.parse(options), file === null ? null : type)
              : options;
          },
        });
        await requireSurroundingScopes(trx, request, takenBack);
        return outboxEntries;
      },
    });
  },
});
