/** The endpoints that approve or reject a job after its preview. */
import { z } from 'zod';
import { withRetries } from '../../../../db/with-retries.js';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { approveJob, rejectJob } from '../../../domain/jobs/approvals.js';
import { followEnd } from '../../../domain/jobs/follow-end.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { releaseDue } from '../../../domain/jobs/release-jobs.js';
import { isStorable } from '../../../domain/kernel/characters.js';
import { readApprovalRule } from '../../../domain/settings/approval-rules.js';
import { enqueueEntries, type OutboxEntry } from '../../../queues/outbox.js';
import { answerEnded } from '../../answer-ended.js';
import { defineRoute } from '../../define-route.js';
import { clientOf } from '../../needed-approval.js';
import { jobSchema, presentJob } from '../../presenters/present-job.js';
import { waitingClient } from '../../waiting-client.js';
import { jobParams } from './params.js';

const MAX_NOTE_CHARACTERS = 1_000;

const body = z
  .strictObject({
    note: z
      .string()
      .max(MAX_NOTE_CHARACTERS)
      .refine(isStorable, 'contains a NUL character or an unpaired surrogate')
      .optional()
      .meta({ description: 'Why; it is kept with the job' }),
  })
  .prefault({});

const SHARED = {
  method: 'POST',
  family: 'files',
  tag: 'Jobs',
  auth: { scope: 'catalog:approve' },
  siteContext: true,
  params: jobParams,
} as const;

const REFUSALS = {
  409: 'The job does not wait for an approval, or not any more: what it would remove may be superseded by a newer file',
  410: 'The job has waited for too long, and has expired',
} as const;

export const approveJobRoute = defineRoute({
  ...SHARED,
  path: '/jobs/:id/actions/approve',
  operationId: 'approveJob',
  summary: 'Approve what a job would change',
  description:
    'The job, which is AWAITING_APPROVAL, gets a place at the end of the order and writes what its preview has shown. A row that would change something else by then fails as CHANGED_SINCE_PREVIEW. Of a job whose rows were applied and whose removals wait because the brake holds (`onBrake` of its snapshot), what was shown is removed. The token that has created the job may not approve it, unless the site settings allow it.',
  body: { schema: body, required: false, example: { note: 'prices of December' } },
  prefersWait: true,
  refusals: REFUSALS,
  responses: {
    200: { description: 'With `Prefer: wait`: the job, which has ended', schema: jobSchema },
    202: {
      description: 'Approved; Location is the address of the job',
      schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED') }),
    },
  },
  audit: 'JOB_APPROVED',
  async handle(request, services) {
    const { params, site, principal, audit, body: { note } = {} } = request;
    const { db, producer, logger, jobEnds, config } = services;
    const { id: jobId } = await findJob(db, site.siteId, params.id);
    let outboxEntries: OutboxEntry[] = await withRetries(db, async (trx) => {
      await audit.record(trx, `job/${jobId}`);
      const decision = { actor: site.actor ?? null, client: clientOf(principal), note, hours: config.approvalHours };
      const { allowOwn } = await readApprovalRule(trx, site.siteId);
      return approveJob(trx, { siteId: site.siteId, jobId, ...decision }, allowOwn);
    });
    // Behind many others it is accepted as held. All of them may have ended since then.
    if (outboxEntries.length === 0) outboxEntries = await releaseDue(db, [site.siteId]);
    await enqueueEntries(producer, outboxEntries, logger);
    if (await jobEnds.wait(jobId, waitingClient(request, services))) return answerEnded(services, site.siteId, jobId);
    return { status: 202, body: { jobId, status: 'SCHEDULED' }, headers: { Location: `/jobs/${jobId}` } };
  },
});

export const rejectJobRoute = defineRoute({
  ...SHARED,
  path: '/jobs/:id/actions/reject',
  operationId: 'rejectJob',
  summary: 'Reject what a job would change',
  description:
    'The job, which is AWAITING_APPROVAL, ends as REJECTED with the reason NOT_APPROVED. Nothing is written. One whose rows were applied and whose removals wait ends as COMPLETED_PARTIALLY with the reason SNAPSHOT_BRAKE, and nothing is removed.',
  body: { schema: body, required: false, example: { note: 'these are the prices of last year' } },
  refusals: REFUSALS,
  responses: { 200: { description: 'The job as it is now', schema: jobSchema } },
  audit: 'JOB_REJECTED',
  async handle({ params, site, audit, body: { note } = {} }, { db, producer, logger, metrics, config }) {
    const { id: jobId } = await findJob(db, site.siteId, params.id);
    await withRetries(db, async (trx) => {
      await audit.record(trx, `job/${jobId}`);
      const decision = { actor: site.actor ?? null, note, hours: config.approvalHours };
      await rejectJob(trx, { siteId: site.siteId, jobId, ...decision });
    });
    const entries = await followEnd(db, JOB_TYPES, jobId, ({ kind, outcome, seconds }) =>
      metrics.jobEnded(kind, outcome, seconds),
    );
    await enqueueEntries(producer, entries, logger);
    return { status: 200, body: presentJob(await findJob(db, site.siteId, jobId)) };
  },
});
