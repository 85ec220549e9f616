/** What the handlers of jobs of a single step share: each is held while its site has enough of them executed. */
import type { AttemptOutcome } from '../domain/jobs/attempts.js';
import type { StepPayload } from '../queues/define-queue.js';
import type { WorkerServices } from './context.js';
import type { AfterStep, Handler } from './handler.js';

/** @param run executes the step; what else follows its end is done when it returns */
export function oneStepHandler(
  { send, afterEnd, stepFailed, stepSuspected }: AfterStep,
  queue: 'export' | 'inspect' | 'replay' | 'feed',
  run: (services: WorkerServices, payload: StepPayload, signal: AbortSignal) => Promise<AttemptOutcome>,
): Handler<StepPayload> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      const outcome = await run(services, payload, signal);
      if (outcome.kind === 'ended') await afterEnd(services, payload.jobId);
      if (outcome.kind === 'held') await send(services, outcome.outboxEntries);
    },

    suspected: (services, payload) => stepSuspected(services, { queue, payload }),
    failed: stepFailed,
  };
}
