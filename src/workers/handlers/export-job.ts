/** Writes the file of an export, or compares stages, which is read in the same way. */
import { runExportJob } from '../../domain/exports/run-export-job.js';
import { isComparison, runCompare } from '../../domain/imports/run-compare.js';
import type { AfterStep } from '../handler.js';
import { oneStepHandler } from '../one-step-handler.js';

export function exportJobHandler(after: AfterStep) {
  return oneStepHandler(after, 'export', async (services, payload, signal) => {
    const began = performance.now();
    const compares = await isComparison(services.db, payload.jobId);
    const outcome = await (compares ? runCompare : runExportJob)(services, payload, signal);
    if (outcome.kind === 'ended' && !compares) services.metrics?.exportEnded((performance.now() - began) / 1000);
    return outcome;
  });
}
