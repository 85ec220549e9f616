/** The tools that look at jobs: what they came to, and which rows failed. */
import { type Job, type LongshoreClient, LongshoreError } from '@longshore/client';
import { z } from 'zod';
import { AWAITING_APPROVAL } from '../approval.js';
import { known, moreText, nextOf, offsetOf, paged, pagedOutput, pageOf } from '../paging.js';
import { smallPage } from '../small.js';
import { defineTool } from '../tool.js';
import { changeSummary } from './change-summary.js';
import { shownJob, stateOf, wholeJob } from './shown-job.js';

const STATUSES: readonly Job['status'][] = [
  'AWAITING_UPLOAD',
  'AWAITING_PROFILE',
  AWAITING_APPROVAL,
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'COMPLETED_PARTIALLY',
  'REJECTED',
  'FAILED',
  'CANCELLATION_IN_PROGRESS',
  'CANCELLED',
  'EXPIRED',
];

const row = z.looseObject({});
export const jobId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'an id has 24 hex characters')
  .describe('The id of a job');

export const findJobs = defineTool({
  name: 'find_jobs',
  title: 'Find jobs',
  description:
    'Lists jobs (imports, bulk requests, exports, inspections), newest first, by status and type. Proposals that wait for approval have the status AWAITING_APPROVAL.',
  effect: 'reads',
  input: z.strictObject({
    status: z.enum(STATUSES).optional(),
    types: z
      .array(z.string().regex(/^[A-Z_]{1,60}$/))
      .min(1)
      .max(20)
      .optional()
      .describe('Such as ITEM_IMPORT, ITEM_BULK_UPSERT'),
    ...paged,
  }),
  output: z.object({ jobs: z.array(row), count: z.int(), ...pagedOutput }),
  run: async ({ status, types: type, limit, after }, { api, signal }) => {
    const offset = offsetOf(after);
    const filter = known({ status, type });
    const page = await smallPage(limit, async (wanted) =>
      pageOf(await api.listJobs({ ...filter, offset, limit: wanted }, { signal }), shownJob),
    );
    const { rows, count = rows.length } = page;
    return {
      text: `${rows.length} of ${count} jobs. ${moreText(page)}`,
      data: { jobs: [...rows], count, ...nextOf(page) },
    };
  },
});

export const getJob = defineTool({
  name: 'get_job',
  title: 'Read a job',
  description:
    'Reads a job: its status, counts, errors by code and column, warnings, and a summary of what it changed or, as a dry run or proposal, would change.',
  effect: 'reads',
  input: z.strictObject({ id: jobId }),
  output: z.object({ job: row, changes: row.optional() }),
  run: async ({ id }, { api, signal }) => {
    const job = await api.getJob({ id }, { signal });
    const changes = await summaryOf(api, job, signal);
    return { text: stateOf(job), data: { job: wholeJob(job), ...known({ changes }) } };
  },
});

/** Undefined: nothing is known of its changes, because it has not come so far or because they are no longer kept. */
export async function summaryOf(
  api: LongshoreClient,
  { id, status, completedAt }: Job,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  if (completedAt === null && status !== AWAITING_APPROVAL) return undefined;
  try {
    return await changeSummary(api, id, signal);
  } catch (error) {
    if (error instanceof LongshoreError && [404, 409, 410].includes(error.status)) return undefined;
    throw error;
  }
}

export const jobErrors = defineTool({
  name: 'job_errors',
  title: 'Read the errors of a job',
  description:
    'Lists the errors of the rows of a job: row, key, column, code, message and value, in pages. get_job has their sums by code and column.',
  effect: 'reads',
  input: z.strictObject({ id: jobId, ...paged }),
  output: z.object({ errors: z.array(row), count: z.int(), ...pagedOutput }),
  run: async ({ id, limit, after }, { api, signal }) => {
    const page = await smallPage(limit, async (wanted) => {
      const { data, count, next } = await api.listJobErrors({ id, limit: wanted, ...known({ after }) }, { signal });
      return { rows: data.map((one) => ({ ...one })), count, next };
    });
    const { rows, count = rows.length } = page;
    const text = `${rows.length} of ${count} errors. ${moreText(page)}`;
    return { text, data: { errors: [...rows], count, ...nextOf(page) } };
  },
});
