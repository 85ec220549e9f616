/** Executes small jobs together. Those that cannot be executed so are enqueued one by one. */
import { IMPORT_HOOKS } from '../../domain/imports/import-hooks.js';
import { findBatches } from '../../domain/jobs/find-batches.js';
import { splitBatch } from '../../domain/jobs/job-batch.js';
import type { planBatch } from '../../queues/contracts/plan-batch.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { WorkerServices } from '../context.js';
import type { AfterStep, Handler, RowsOfJobs } from '../handler.js';
import { joinBatch, type Steps } from '../plan/merged-batches.js';
import { type BatchServices, runBatch } from '../plan/run-batch.js';

export function planBatchHandler(after: AfterStep, rowsOfJobs: RowsOfJobs): Handler<PayloadOf<typeof planBatch>> {
  return {
    run: (services, { steps, suspect }) =>
      suspect ? runOneByOne(after, { ...services, rowsOfJobs }, steps) : joinBatch(after, rowsOfJobs, services, steps),

    async failed(services, { steps }, error, failure) {
      if (failure?.kind === 'death') {
        await splitFirst(after, services, steps);
        return undefined;
      }
      // Nothing of it was committed, so the same jobs can be executed together when the outage has ended.
      if (failure?.kind === 'outage') return void (await after.stepsFailed(services, steps, error, failure));
      const { length: count } = steps;
      services.logger.warn({ err: error, count }, 'a batch of jobs failed; each of them is executed by itself');
      await splitSteps(after, services, steps);
      return undefined;
    },
  };
}

/** Executes the jobs of one site after those of another, so that the end of this process tells which site is the reason. */
async function runOneByOne(after: AfterStep, services: BatchServices, steps: Steps): Promise<void> {
  const { batches, alone } = await findBatches(services.db, steps, IMPORT_HOOKS);
  await after.send(services, alone);
  for (const batch of batches) await runBatch(after, services, [batch]);
}

/** The process of runOneByOne has ended: the first site that is left is the reason, or one of its jobs. */
async function splitFirst(after: AfterStep, services: WorkerServices, steps: Steps): Promise<void> {
  const { batches } = await findBatches(services.db, steps, IMPORT_HOOKS);
  const [first] = batches;
  if (first === undefined) throw new Error('a process ended that had no small jobs to execute');
  services.logger.warn({ siteId: first.siteId }, 'small jobs have ended a process; each of them is executed by itself');
  await after.send(services, [await splitBatch(services.db, first, true)]);
}

async function splitSteps(after: AfterStep, services: WorkerServices, steps: Steps): Promise<void> {
  const { batches, alone } = await findBatches(services.db, steps, IMPORT_HOOKS);
  const split: OutboxEntry[] = [];
  for (const batch of batches) split.push(await splitBatch(services.db, batch, false));
  await after.send(services, [...alone, ...split]);
}
