/** Carries a job of one chunk to its end without the queue: few rows are not to stand behind the chunks of large files. */

import { applyAtomicJob } from '../domain/imports/apply-atomic-job.js';
import { applyJobChunk } from '../domain/imports/apply-job-chunk.js';
import { finishFileJob } from '../domain/imports/finish-file-job.js';
import type { OutboxEntry } from '../queues/outbox.js';
import { afterEnd, send } from './after-step.js';
import type { WorkerServices } from './context.js';

/**
 * Runs a step that is committed, and those that follow from it. What fails here, or comes after the signal, is the
 * queue's to run: it counts the attempts.
 */
export async function runInline(
  services: WorkerServices,
  outboxEntries: readonly OutboxEntry[],
  signal: AbortSignal,
): Promise<void> {
  let ahead = outboxEntries;
  for (let step = stepOf(ahead); step !== undefined && !signal.aborted; step = stepOf(ahead)) {
    try {
      const others = ahead.filter((entry) => entry !== step);
      ahead = [...others, ...(await runStep(services, step, signal))];
    } catch (error) {
      services.logger.warn({ err: error, ...step.payload }, 'a step failed and is left to the queue');
      break;
    }
  }
  await send(services, ahead);
}

/** The steps of a job of one chunk after its plan. */
type Step = Extract<OutboxEntry, { queue: (typeof STEPS)[number] }>;
const STEPS = ['apply', 'apply-all', 'finish'] as const;

function stepOf(outboxEntries: readonly OutboxEntry[]): Step | undefined {
  return outboxEntries.find((entry): entry is Step => (STEPS as readonly string[]).includes(entry.queue));
}

/** @returns what follows */
async function runStep(services: WorkerServices, step: Step, signal: AbortSignal): Promise<OutboxEntry[]> {
  if (step.queue === 'apply') return applyJobChunk(services, step.payload);
  if (step.queue === 'apply-all') return applyAtomicJob(services, step.payload, signal);
  if (await finishFileJob(services, step.payload)) await afterEnd(services, step.payload.jobId);
  return [];
}
