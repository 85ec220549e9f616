/** Writes the file of an export. */

import { runExportJob } from '../../domain/exports/run-export-job.js';
import { takeUpExports } from '../../domain/jobs/export-window.js';
import type { exportJob } from '../../queues/contracts/export-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { afterEnd, send } from '../after-step.js';
import type { Handler } from '../handler.js';
import { stepFailed } from './plan-job.js';

export const exportJobHandler: Handler<PayloadOf<typeof exportJob>> = {
  async run(services, { jobId, dispatch }, signal) {
    const outcome = await runExportJob(services, jobId, dispatch, signal);
    if (outcome.kind === 'ended') await afterEnd(services, jobId);
    // Whoever ended between our look and our parking did not see us: look once more.
    if (outcome.kind === 'parked') await send(services, await takeUpExports(services.db, outcome.siteId));
  },

  failed: (services, payload, error) => stepFailed(services, payload, error),
};
