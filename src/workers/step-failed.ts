/** Handles the failure of a step that is not a chunk's: it is retried, or the job has failed permanently. */
import { JOB_TYPES } from '../domain/job-types.js';
import { type Failure, OWN_FAULT, recordStepFailure } from '../domain/jobs/end-job.js';
import type { StepPayload } from '../domain/jobs/job-steps.js';
import { afterEnd, send } from './after-step.js';
import type { WorkerServices } from './context.js';

export async function stepFailed(
  services: WorkerServices,
  payload: StepPayload,
  error: unknown,
  failure: Failure = OWN_FAULT,
): Promise<void> {
  services.logger.warn({ err: error, jobId: payload.jobId, failure }, 'a step failed');
  const { outboxEntries, delayMs, ended } = await recordStepFailure(services.db, JOB_TYPES, payload, failure);
  await send(services, outboxEntries, delayMs);
  if (ended) {
    services.logger.error({ err: error, jobId: payload.jobId }, 'a job has failed permanently');
    await afterEnd(services, payload.jobId);
  }
}
