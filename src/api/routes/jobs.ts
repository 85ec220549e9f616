/** The endpoints of jobs. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { runOnce } from '../../domain/access/accept-once.js';
import { refuseMissingInput } from '../../domain/files/require-input.js';
import { finishFileJob } from '../../domain/imports/finish-file-job.js';
import { pageJobResult, requireEnded } from '../../domain/imports/job-result.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { newJobId } from '../../domain/jobs/accept-job.js';
import { cancelJob } from '../../domain/jobs/cancel-job.js';
import { followEnd } from '../../domain/jobs/follow-end.js';
import { ERROR_CURSOR, pageJobErrors } from '../../domain/jobs/job-errors.js';
import { listJobs } from '../../domain/jobs/list-jobs.js';
import { parseJob } from '../../domain/jobs/model/job-type.js';
import { findJob } from '../../domain/jobs/read-job.js';
import { releaseDue } from '../../domain/jobs/release-jobs.js';
import { resumeAfter } from '../../domain/jobs/resume-jobs.js';
import { retryJob } from '../../domain/jobs/retry-job.js';
import { within } from '../../platform/concurrency/within.js';
import { enqueueEntries, type OutboxEntry } from '../../queues/outbox.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { knownList, pageParameters, textList } from '../list-query.js';
import {
  jobSchema,
  presentExportResult,
  presentJob,
  presentResult,
  resultPageSchema,
} from '../presenters/present-job.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';
import type { ApiServices } from '../services.js';
import { requireRoomFor, requireRows } from '../store-room.js';
import { waitingClient } from '../waiting-client.js';

// The `limit` of pages of rows, which may be larger than that of other lists.

const MAX_ROWS_A_PAGE = 1_000;

function resultLimit(fallback: number) {
  const expected = `expected a whole number from 1 to ${MAX_ROWS_A_PAGE}`;
  return z
    .string(expected)
    .regex(/^\d{1,4}$/, expected)
    .transform(Number)
    .refine((value) => value >= 1 && value <= MAX_ROWS_A_PAGE, expected)
    .default(fallback)
    .meta({
      description: `How many rows to return (default ${fallback}, at most ${MAX_ROWS_A_PAGE})`,
      // The documentation shows the number that the digits mean.
      type: 'integer',
      pattern: undefined,
      minimum: 1,
      maximum: MAX_ROWS_A_PAGE,
    });
}

/** The names by which clients know the types of jobs. */
const TYPE_NAMES = Object.values(JOB_TYPES).flatMap(({ names }) => names);

const listJobsRoute = defineRoute({
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
    ...pageParameters,
  }),
  responses: { 200: { description: 'Jobs', schema: pageSchema(jobSchema) } },
  async handle({ query: { ids, type, status, offset, limit }, site }, { db }) {
    const page = await listJobs(db, site, { ids, types: type, status }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentJob) };
  },
});

const jobParams = z.object({ id: z.string() });

const readJobRoute = defineRoute({
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

const cancelJobRoute = defineRoute({
  method: 'POST',
  path: '/jobs/:id/actions/cancel',
  operationId: 'cancelJob',
  family: 'files',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description:
    'The job stops within a second or two, whatever it is doing. Chunks that are nearly done are completed; what was applied stays and is counted. If the job has ended, the answer is 409.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: jobParams,
  refusals: { 409: 'The job has ended' },
  responses: { 200: { description: 'The job as it is now', schema: jobSchema } },
  audit: 'JOB_CANCELLED',
  async handle({ params, site, audit }, services) {
    const { db, producer, logger } = services;
    const job = await findJob(db, site.siteId, params.id);
    const record = (trx: Db) => audit.record(trx, `job/${job.id}`);
    const { outboxEntries, ended } = await cancelJob(db, JOB_TYPES, site.siteId, job.id, record);
    if (ended) await follow(services, job.id);
    else if (!(await finishHere(services, outboxEntries))) await enqueueEntries(producer, outboxEntries, logger);
    return { status: 200, body: presentJob(await findJob(db, site.siteId, job.id)) };
  },
});

async function follow({ db, producer, logger, metrics }: ApiServices, jobId: string): Promise<void> {
  const entries = await followEnd(db, JOB_TYPES, jobId, ({ kind, outcome, seconds }) =>
    metrics.jobEnded(kind, outcome, seconds),
  );
  await enqueueEntries(producer, entries, logger);
}

/** How long the answer waits for the end of the job. */
const FINISH_MS = 1_300;
/** The error file of a job with more failed rows is written by a worker. */
const MOST_FAILED = 1_000;

/**
 * Executes the finish step of a cancelled job, if there is one among the entries: the workers may all be computing.
 * @returns whether it is done; if not, a worker has to execute it
 */
async function finishHere(services: ApiServices, outboxEntries: readonly OutboxEntry[]): Promise<boolean> {
  const [entry] = outboxEntries;
  if (entry?.queue !== 'finish') return false;
  const { payload } = entry;
  const finish = async () => {
    try {
      const ended = await finishFileJob(services, payload, MOST_FAILED);
      if (ended) await follow(services, payload.jobId);
      return ended;
    } catch (error) {
      services.logger.warn({ err: error, ...payload }, 'a cancelled job could not be finished here; a worker does it');
      return false;
    }
  };
  const finishing = finish();
  return (await within(finishing, FINISH_MS)) && finishing;
}

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

const retryJobRoute = defineRoute({
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
      schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED'), retryOf: z.string() }),
    },
  },
  audit: 'JOB_RETRIED',
  async handle(request, services) {
    const { params, site, idempotency, requestId, audit, body = retryBody.parse({}) } = request;
    const { db, producer, logger, jobEnds } = services;
    let outboxEntries: OutboxEntry[] = [];
    if (idempotency?.answered == null) await refuseMissingInput(db, services.fileStore, site.siteId, params.id);
    const { answer, replayed } = await runOnce(db, idempotency, async (trx) => {
      // Within: an answer that was given already is given again, and spends nothing.
      await requireRoomFor(request, services);
      await requireRows(request, services, 0);
      const id = newJobId();
      await audit.record(trx, `job/${id}`);
      const { siteId, traceparent = null } = site;
      ({ outboxEntries } = await retryJob(trx, JOB_TYPES, params.id, { id, requestId, traceparent, siteId, ...body }));
      return { status: 202, body: { jobId: id, status: 'SCHEDULED', retryOf: params.id }, jobId: id };
    });
    // Behind many others it is accepted as held. All of them may have ended since then.
    if (outboxEntries.length === 0 && !replayed) outboxEntries = await releaseDue(db, site.siteId);
    await enqueueEntries(producer, outboxEntries, logger);
    const jobId = answer.jobId ?? '';
    if (await jobEnds.wait(jobId, waitingClient(request, services))) {
      return { status: 200, body: presentJob(await findJob(db, site.siteId, jobId)) };
    }
    return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
  },
});

const resumeJobsRoute = defineRoute({
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

const errorSchema = z
  .object({
    row: z.int(),
    key: z.string().nullable(),
    column: z.string().nullable(),
    code: z.string(),
    message: z.string(),
    value: z.string().nullable(),
  })
  .meta({ id: 'JobError' });

const listJobErrorsRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/errors',
  operationId: 'listJobErrors',
  family: 'files',
  tag: 'Jobs',
  summary: "List a job's row errors, by row",
  description:
    'Rows are numbered as in a spreadsheet, where the header is row 1. The first element of a JSON array is row 1.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({
    limit: resultLimit(100),
    after: z
      .string()
      .regex(ERROR_CURSOR, 'expected the `next` of the previous page, or a row number')
      .optional()
      .meta({ description: 'The `next` of the previous page, or a row number' }),
  }),
  responses: {
    200: {
      description: 'Errors',
      schema: z.object({
        data: z.array(errorSchema),
        limit: z.int(),
        count: z.int().meta({ description: 'The number of errors on all pages; a row may have several' }),
        next: z.string().optional(),
      }),
    },
  },
  async handle({ params, query: { limit, after }, site }, { db }) {
    const job = await findJob(db, site.siteId, params.id);
    const page = await pageJobErrors(db, job.id, { limit, after });
    const data = page.rows.map(({ row_no: row, key, col: column, code, message, value }) => ({
      row,
      key,
      column,
      code,
      message,
      value,
    }));
    const next = page.next === null ? {} : { next: page.next };
    return { status: 200, body: { data, limit, count: page.count, ...next } };
  },
});

const readJobResultRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/result',
  operationId: 'getJobResult',
  family: 'files',
  tag: 'Jobs',
  summary: 'Read the outcome of each row of a job',
  description: 'Answers the same as `Prefer: wait`, in pages of rows. While the job has not ended, the answer is 409.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({ offset: pageParameters.offset, limit: resultLimit(100) }),
  refusals: { 409: 'The job has not ended', 410: 'The input of the job is no longer kept' },
  responses: {
    200: {
      description: 'The outcome of the rows on this page',
      schema: resultPageSchema,
    },
  },
  async handle({ params, query: { offset, limit }, site }, { db, fileStore }) {
    const job = parseJob(JOB_TYPES, await findJob(db, site.siteId, params.id));
    if (job.jobType.result === 'file') return { status: 200, body: presentExportResult(requireEnded(job)) };
    const page = await pageJobResult({ db, fileStore }, job, { offset, limit });
    return { status: 200, body: { ...presentResult(job, page.rows), offset, limit, count: page.count } };
  },
});

export const jobRoutes: readonly Route[] = [
  listJobsRoute,
  readJobRoute,
  cancelJobRoute,
  retryJobRoute,
  resumeJobsRoute,
  listJobErrorsRoute,
  readJobResultRoute,
];
