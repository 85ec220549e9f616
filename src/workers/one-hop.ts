/** Carries a job of one chunk to its end without the queue: few rows are not to stand behind the chunks of large files. */
import { applyJobChunk } from '../domain/imports/apply-job-chunk.js';
import { applyWholeJob } from '../domain/imports/apply-whole-job.js';
import { finishFileJob } from '../domain/imports/finish-file-job.js';
import type { Dispatch } from '../queues/outbox.js';
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
  for (let step = stepOf(ahead); step !== undefined && !signal.aborted; step = stepOf(ahead)) {
    try {
      const others = ahead.filter((dispatch) => dispatch !== step);
      ahead = [...others, ...(await runStep(services, step, signal))];
    } catch (error) {
      services.logger.warn({ err: error, ...step.payload }, 'a step failed and is left to the queue');
      break;
    }
  }
  await send(services, ahead);
}

/** The steps of a job of one chunk after its plan. */
type Step = Extract<Dispatch, { queue: (typeof STEPS)[number] }>;
const STEPS = ['apply', 'apply-all', 'finish'] as const;

function stepOf(dispatches: readonly Dispatch[]): Step | undefined {
  return dispatches.find((dispatch): dispatch is Step => (STEPS as readonly string[]).includes(dispatch.queue));
}

/** @returns what follows */
async function runStep(services: WorkerServices, step: Step, signal: AbortSignal): Promise<Dispatch[]> {
  if (step.queue === 'apply') return applyJobChunk(services, step.payload);
  if (step.queue === 'apply-all') return applyWholeJob(services, step.payload, signal);
  if (await finishFileJob(services, step.payload)) await afterEnd(services, step.payload.jobId);
  return [];
}
