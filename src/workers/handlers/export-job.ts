/** Writes the file of an export. */

import { EXPORT_JOB } from '../../domain/exports/export-job.js';
import { runExportJob } from '../../domain/exports/run-export-job.js';
import { releaseOneStep, suspectStep } from '../../domain/jobs/job-steps.js';
import type { exportJob } from '../../queues/contracts/export-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { afterEnd, send } from '../after-step.js';
import type { Handler } from '../handler.js';
import { stepFailed } from '../step-failed.js';

export const exportJobHandler: Handler<PayloadOf<typeof exportJob>> = {
  jobOf: ({ jobId }) => jobId,

  async run(services, payload, signal) {
    const outcome = await runExportJob(services, payload, signal);
    if (outcome.kind === 'ended') await afterEnd(services, payload.jobId);
    // An export that ended after this one counted the running exports did not see that this one is held.
    if (outcome.kind === 'held') await send(services, await releaseOneStep(services.db, EXPORT_JOB, outcome.siteId));
  },

  suspected: ({ db }, payload) => suspectStep(db, { queue: 'export', payload }),
  failed: stepFailed,
};
