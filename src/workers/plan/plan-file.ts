/** Finds the chunks of a job's file. */

import type { ExecutedAlone } from '../../domain/imports/execute-rows.js';
import { planFileJob } from '../../domain/imports/plan-file-job.js';
import type { planJob } from '../../queues/contracts/plan-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { WorkerServices } from '../context.js';
import type { AfterStep } from '../handler.js';
import { runInline } from '../inline-execution.js';

type Begun = Extract<ExecutedAlone['outcome'], { kind: 'begun' }>;

/** Finds the chunks of a job that has begun. Those of a small file are applied at once. */
export async function planFile(
  after: AfterStep,
  services: WorkerServices,
  { dispatch }: PayloadOf<typeof planJob>,
  { begun: { job }, definitionsVersion }: Begun,
  signal: AbortSignal,
): Promise<void> {
  const { db, fileStore, config } = services;
  const files = { db, fileStore, chunkRows: config.chunkRows };
  const planned = await planFileJob(files, job, dispatch, definitionsVersion, signal);
  if (planned.isOneChunk) await runInline(after, services, planned.outboxEntries, signal);
  else await after.send(services, planned.outboxEntries);
  if (planned.ended) await after.afterEnd(services, job.id);
}
