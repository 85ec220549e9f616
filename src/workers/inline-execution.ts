/**
 * Executes steps without the queue: a job of one chunk, whose few rows should not wait behind the chunks of large files, and the
 * end of a job whose rows were applied by one step.
 */

import { applyAtomicJob } from '../domain/imports/apply-atomic-job.js';
import { applyJobChunk } from '../domain/imports/apply-job-chunk.js';
import { finishFileJob } from '../domain/imports/finish-file-job.js';
import type { OutboxEntry } from '../queues/outbox.js';
import type { WorkerServices } from './context.js';
import type { AfterStep, RowsOfJobs, RunInline } from './handler.js';

/**
 * Makes what runs a committed step, and the steps that follow from it. A step that fails, or follows after the signal, is
 * enqueued instead, because the queue's handlers count the attempts.
 */
export function inlineExecution(after: AfterStep, rowsOfJobs: RowsOfJobs): RunInline {
  return async (services, outboxEntries, signal) => {
    let remaining = outboxEntries;
    for (let step = stepOf(remaining); step !== undefined && !signal.aborted; step = stepOf(remaining)) {
      try {
        const others = remaining.filter((entry) => entry !== step);
        remaining = [...others, ...(await runStep(after, { ...services, rowsOfJobs }, step, signal))];
      } catch (error) {
        services.logger.warn({ err: error, ...step.payload }, 'a step failed inline and is enqueued');
        break;
      }
    }
    await after.send(services, remaining);
  };
}

/** The steps that follow the plan step of a job of one chunk. */
type Step = Extract<OutboxEntry, { queue: (typeof STEPS)[number] }>;
const STEPS = ['apply', 'apply-all', 'finish'] as const;

function stepOf(outboxEntries: readonly OutboxEntry[]): Step | undefined {
  return outboxEntries.find((entry): entry is Step => (STEPS as readonly string[]).includes(entry.queue));
}

/** @returns the outbox entries that follow */
async function runStep(
  after: AfterStep,
  services: WorkerServices & { readonly rowsOfJobs: RowsOfJobs },
  step: Step,
  signal: AbortSignal,
): Promise<OutboxEntry[]> {
  if (step.queue === 'apply') return applyJobChunk(services, step.payload);
  if (step.queue === 'apply-all') return applyAtomicJob(services, step.payload, signal);
  if (await finishFileJob(services, step.payload)) await after.afterEnd(services, step.payload.jobId);
  return [];
}
