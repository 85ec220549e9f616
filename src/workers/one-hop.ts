/** Carries a job of one chunk to its end without the queue: few rows are not to stand behind the chunks of large files. */
import { applyJobChunk } from '../domain/ingest/apply-job-chunk.js';
import { finishFileJob } from '../domain/ingest/finish-file-job.js';
import type { Dispatch } from '../queues/dispatch.js';
import { afterEnd, send } from './after-step.js';
import type { WorkerServices } from './context.js';

/**
 * Runs a step that is committed, and those that follow from it. What fails here, or comes after the signal, is the
 * queue's to run: it counts the attempts.
 */
export async function runInOneHop(
  services: WorkerServices,
  dispatches: readonly Dispatch[],
  signal: AbortSignal,
): Promise<void> {
  let ahead = dispatches;
  for (let [step] = ahead; step !== undefined && !signal.aborted; [step] = ahead) {
    try {
      ahead = await runStep(services, step);
    } catch (error) {
      services.logger.warn({ err: error, ...step.payload }, 'a step failed and is left to the queue');
      break;
    }
  }
  await send(services, ahead);
}

/** @returns what follows */
async function runStep(services: WorkerServices, step: Dispatch): Promise<Dispatch[]> {
  if (step.queue === 'plan') throw new Error('a job is planned once');
  if (step.queue === 'apply') return applyJobChunk(services, step.payload);
  const { jobId, dispatch } = step.payload;
  if (await finishFileJob(services, jobId, dispatch)) await afterEnd(services, jobId);
  return [];
}
