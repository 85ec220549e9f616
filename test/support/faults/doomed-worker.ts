/** A worker that carries out one job by itself, a step at a time, until its line to the database is cut. */
import { connectDb, type Db } from '../../../db/connection.js';
import { watchConnections } from '../../../db/connection-watch.js';
import { applyAtomicJob } from '../../../src/queues/contracts/apply-atomic-job.js';
import { applyChunk } from '../../../src/queues/contracts/apply-chunk.js';
import { exportJob } from '../../../src/queues/contracts/export-job.js';
import { feedRun } from '../../../src/queues/contracts/feed-run.js';
import { finishJob } from '../../../src/queues/contracts/finish-job.js';
import { inspectFile } from '../../../src/queues/contracts/inspect-file.js';
import { planBatch } from '../../../src/queues/contracts/plan-batch.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import type { Producer } from '../../../src/queues/producer.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { createHandlers } from '../../../src/workers/index.js';
import { until } from '../until.js';
import { OWN_SESSIONS } from '../worlds/own-sessions.js';
import { type Cut, openCutLine } from './cut-line.js';

/** The name of its connections. */
export const DOOMED = 'longshore-doomed';
const CONNECTIONS = 2;
/** No doomed worker takes so long. */
const LONGEST_MS = 600_000;

export interface Doom {
  /** Whether it was cut off before it was through. */
  readonly cut: boolean;
  /** Messages that it sent to the database, but for those that open its connections. */
  readonly messages: number;
}

/** Runs the steps, and those that follow from them, until there is none left or the line is cut. The queue hears of nothing. */
export async function runDoomed(services: WorkerServices, steps: readonly OutboxEntry[], cut: Cut): Promise<Doom> {
  const doomed = await openDoomed(services, cut, steps);
  try {
    await doomed.run();
    return { cut: doomed.isCut(), messages: doomed.messages() };
  } finally {
    await doomed.close();
  }
}

interface DoomedProcess<Services> {
  /** What the process is given: its database is behind the line, and what it enqueues it does itself. */
  readonly services: Services;
  /** Runs the steps that are due, and those that follow from them, until there is none left or the line is cut. */
  run(): Promise<void>;
  readonly isCut: () => boolean;
  /** Messages that it has sent to the database, but for those that open its connections. */
  readonly messages: () => number;
  close(): Promise<void>;
}

/** A process with one line to the database, whatever it does there: steps of jobs, and perhaps requests. */
export async function openDoomed<Services extends WorkerServices>(
  services: Services,
  cut: Cut,
  steps: readonly OutboxEntry[] = [],
): Promise<DoomedProcess<Services>> {
  const line = await openCutLine(services.config.databaseUrl, cut);
  // How many messages it sends does not depend on how long they take: nobody asks whether it is alive, and no plan is renewed.
  const watch = watchConnections({ url: line.url, silenceMs: LONGEST_MS });
  const db = connectDb({ url: line.url, poolMax: CONNECTIONS, name: DOOMED, watch, preparesStatements: false });
  // All of them, before it counts: whether it needs the second one depends on how soon the first one is free again.
  const { client } = db;
  const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => client.acquireConnection()));
  for (const connection of open) client.releaseConnection(connection);
  line.count();
  const ahead = [...steps];
  const doomed: Services = { ...services, db, producer: unheard(services.producer, ahead) };
  return {
    services: doomed,
    run: async () => {
      try {
        for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) await runStep(doomed, step);
        // What a step sends without waiting for it, its last messages among it, belongs to what a process sends.
        await until('nothing is under way', () => line.isCut() || isIdle(db), 20_000);
      } catch (error) {
        if (!line.isCut()) throw error;
      }
    },
    isCut: line.isCut,
    messages: line.messages,
    close: async () => {
      await db.destroy();
      await line.close();
    },
  };
}

/** Whether all connections are free, and nobody waits for one. */
function isIdle(db: Db): boolean {
  const { pool } = db.client;
  return pool.numUsed() + pool.numPendingAcquires() + pool.numPendingCreates() === 0;
}

/** Postgres notices a lost connection a moment later; until then its transaction holds what it has locked. */
export async function untilDoomedIsGone(db: Db): Promise<void> {
  const left = async () => (await db.from(db.raw(OWN_SESSIONS)).where({ application_name: DOOMED })).length;
  await until('the killed worker has no connection left', async () => (await left()) === 0, 20_000);
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
    case 'feed':
      return handlers.feedRun.run(services, step.payload, signal);
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
  [feedRun.name]: 'feed',
};
