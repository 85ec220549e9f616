/** A worker that carries out one job by itself, a step at a time, until its line to the database is cut. */
import { connectDb } from '../../../db/connection.js';
import { applyAtomicJob } from '../../../src/queues/contracts/apply-atomic-job.js';
import { applyChunk } from '../../../src/queues/contracts/apply-chunk.js';
import { exportJob } from '../../../src/queues/contracts/export-job.js';
import { finishJob } from '../../../src/queues/contracts/finish-job.js';
import { inspectFile } from '../../../src/queues/contracts/inspect-file.js';
import { planBatch } from '../../../src/queues/contracts/plan-batch.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import type { Producer } from '../../../src/queues/producer.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { createHandlers } from '../../../src/workers/index.js';
import { type Cut, openCutLine } from './cut-line.js';

/** The name of its connections. */
export const DOOMED = 'longshore-doomed';

export interface Doom {
  /** Whether it was cut off before it was through. */
  readonly cut: boolean;
  /** Messages that it sent to the database. */
  readonly messages: number;
}

/** Runs the steps, and those that follow from them, until there is none left or the line is cut. The queue hears of nothing. */
export async function runDoomed(services: WorkerServices, steps: readonly OutboxEntry[], cut: Cut): Promise<Doom> {
  const line = await openCutLine(services.config.databaseUrl, cut);
  const db = connectDb({ url: line.url, poolMax: 2, name: DOOMED });
  const ahead = [...steps];
  const doomed: WorkerServices = { ...services, db, producer: unheard(services.producer, ahead) };
  try {
    for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) await runStep(doomed, step);
    return { cut: false, messages: line.messages() };
  } catch {
    return { cut: true, messages: line.messages() };
  } finally {
    await db.destroy();
    await line.close();
  }
}

const handlers = createHandlers();

/** Runs one step as a worker would. */
export function runStep(
  services: WorkerServices,
  step: OutboxEntry,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  switch (step.queue) {
    case 'plan':
      return handlers.planJob.run(services, step.payload, signal);
    case 'plan-batch':
      return handlers.planBatch.run(services, step.payload, signal);
    case 'apply':
      return handlers.applyChunk.run(services, step.payload, signal);
    case 'apply-all':
      return handlers.applyAtomicJob.run(services, step.payload, signal);
    case 'inspect':
      return handlers.inspectFile.run(services, step.payload, signal);
    case 'export':
      return handlers.exportJob.run(services, step.payload, signal);
    case 'finish':
      return handlers.finishJob.run(services, step.payload, signal);
    default:
      throw new Error(`nobody runs ${step.queue} here`);
  }
}

/** A producer that tells no queue, but the list. */
export function unheard(producer: Producer, list: OutboxEntry[]): Producer {
  const note = (name: string, payloads: readonly unknown[]) => {
    const queue = QUEUE_OF[name];
    if (queue === undefined) throw new Error(`nobody runs ${name} here`);
    list.push(...payloads.map((payload) => ({ queue, payload }) as OutboxEntry));
  };
  return {
    ...producer,
    enqueue: async (contract, payload) => note(contract.name, [payload]),
    enqueueMany: async (contract, payloads) => note(contract.name, payloads),
  };
}

const QUEUE_OF: Readonly<Record<string, OutboxEntry['queue']>> = {
  [planJob.name]: 'plan',
  [planBatch.name]: 'plan-batch',
  [applyChunk.name]: 'apply',
  [applyAtomicJob.name]: 'apply-all',
  [finishJob.name]: 'finish',
  [exportJob.name]: 'export',
  [inspectFile.name]: 'inspect',
};
