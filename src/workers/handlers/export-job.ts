/** Writes the file of an export, or compares stages, which is read in the same way. */
import { EXPORT_JOB } from '../../domain/exports/model/export-job.js';
import { runExportJob } from '../../domain/exports/run-export-job.js';
import { isComparison, runCompare } from '../../domain/imports/run-compare.js';
import { releaseOneStep } from '../../domain/jobs/single-step.js';
import type { exportJob } from '../../queues/contracts/export-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function exportJobHandler({
  send,
  afterEnd,
  stepFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof exportJob>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      const began = performance.now();
      const compares = await isComparison(services.db, payload.jobId);
      const outcome = await (compares ? runCompare : runExportJob)(services, payload, signal);
      if (outcome.kind === 'ended') {
        if (!compares) services.metrics?.exportEnded((performance.now() - began) / 1000);
        await afterEnd(services, payload.jobId);
      }
      // An export that ended after this one counted the running exports did not see that this one is held.
      if (outcome.kind === 'held') await send(services, await releaseOneStep(services.db, EXPORT_JOB, outcome.siteId));
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'export', payload }),
    failed: stepFailed,
  };
}
